package io.sallyport.fanout.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.publishing.Refusals;
import io.sallyport.fanout.publishing.RefusedException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpHeaders;

class ProblemAdviceTest {
    private final ProblemAdvice advice = new ProblemAdvice(new Refusals(new SimpleMeterRegistry()));

    @ParameterizedTest
    @CsvSource({"OVERLOADED,429,1", "LOG_UNAVAILABLE,503,1", "DECISION_TIMEOUT,503,1", "UNKNOWN_SENSOR,422,"})
    void shouldSayWhenToTryAgainWhereThatHelps(ErrorCode code, int status, String retryAfter) throws Exception {
        var answer = advice.handle(new RefusedException(code.because("so")));
        assertThat(answer.getStatusCode().value()).isEqualTo(status);
        assertThat(answer.getHeaders().getFirst(HttpHeaders.RETRY_AFTER)).isEqualTo(retryAfter);
    }
}
