package io.sallyport.fanout.publishing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.fanout.core.Answer;
import io.sallyport.fanout.core.ErrorCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A customer who asks for what does not exist takes its own share of an edge's threads, and no more. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FreshReadsTest {
    private final ConcurrentLinkedQueue<CompletableFuture<Boolean>> looks = new ConcurrentLinkedQueue<>();
    private final FreshReads fresh = new FreshReads(
            () -> {
                var look = new CompletableFuture<Boolean>();
                looks.add(look);
                return look;
            },
            2);

    @Test
    void shouldRefuseACustomersThirdWaitWhileANeighbourStillWaits() throws Exception {
        var waiting = new ArrayList<CompletableFuture<Answer<String>>>();
        for (String customer : List.of("acme", "acme")) {
            waiting.add(ask(customer));
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> looks.size() == 2);
        assertThat(code(fresh.again("acme", FreshReadsTest::unknown))).isEqualTo(ErrorCode.OVERLOADED);
        // What is known costs nothing, even now.
        assertThat(fresh.again("acme", () -> Answer.of("known"))).isEqualTo(Answer.of("known"));

        waiting.add(ask("globex"));
        await().atMost(Duration.ofSeconds(20)).until(() -> looks.size() == 3);
        looks.forEach(look -> look.complete(true));
        for (var answer : waiting) {
            assertThat(code(answer.join())).isEqualTo(ErrorCode.UNKNOWN_SENSOR);
        }
        // The turns were given back.
        looks.clear();
        var again = ask("acme");
        await().atMost(Duration.ofSeconds(20)).until(() -> looks.size() == 1);
        looks.forEach(look -> look.complete(false));
        assertThat(code(again.join())).isEqualTo(ErrorCode.UNKNOWN_SENSOR);
    }

    @Test
    void shouldCountTheWaitingRequestsOfEachCustomer() {
        var waiters = new DecisionWaiters(3, 2);
        var first = waiters.register("acme", "1").orElseThrow();
        waiters.register("acme", "2").orElseThrow();
        assertThat(waiters.register("acme", "3")).isEmpty();
        waiters.register("globex", "4").orElseThrow();
        assertThat(waiters.register("initech", "5")).isEmpty();
        first.cancel(false);
        waiters.register("acme", "6").orElseThrow();
        assertThat(waiters.size()).isEqualTo(3);
    }

    private CompletableFuture<Answer<String>> ask(String customer) {
        var answer = new CompletableFuture<Answer<String>>();
        var thread = new Thread(() -> answer.complete(fresh.again(customer, FreshReadsTest::unknown)));
        thread.setDaemon(true);
        thread.start();
        return answer;
    }

    private static Answer<String> unknown() {
        return Answer.refused(ErrorCode.UNKNOWN_SENSOR.because("none"));
    }

    private static ErrorCode code(Answer<String> answer) {
        return ((Answer.Refused<String>) answer).refusal().code();
    }
}
