package io.sallyport.sim.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FleetProgressTest {
    @Test
    void shouldHaveNoProblemToConnectOnceAConnectionStood() {
        var progress = new FleetProgress(2, 10);
        assertThat(progress.connectProblem()).isEmpty();
        progress.notLinked("connection refused");
        progress.notLinked("no answer within 10 s");
        assertThat(progress.connectProblem()).hasValue("no answer within 10 s");
        progress.linked();
        progress.notLinked("connection refused");
        assertThat(progress.connectProblem()).isEmpty();
    }
}
