package io.sallyport.envelope.identity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CustomerLabelsTest {
    @Test
    void shouldNameTheFirstAndPutTheRestTogether() {
        var labels = new CustomerLabels(2);
        assertThat(labels.of("acme")).isEqualTo("acme");
        assertThat(labels.of("globex")).isEqualTo("globex");
        assertThat(labels.of("initech")).isEqualTo("other");
        assertThat(labels.of("acme")).isEqualTo("acme");
        assertThat(labels.of("initech")).isEqualTo(CustomerLabels.OTHER);
    }
}
