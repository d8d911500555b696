package io.sallyport.local.stack;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MetricsPageTest {
    @Test
    void shouldSumAllSeriesOfExactlyThatName() {
        var page = new MetricsPage(
                "# HELP a_total x\n# TYPE a_total counter\na_total{k=\"1\"} 2.0\na_total{k=\"2 3\"} 1.5E3\n"
                        + "a_total_more 9.0\nb 4.0\n");
        assertThat(page.sum("a_total")).isEqualTo(1_502);
        assertThat(page.sum("b")).isEqualTo(4);
        assertThat(page.sum("c")).isZero();
    }
}
