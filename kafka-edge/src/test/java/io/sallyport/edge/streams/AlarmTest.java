package io.sallyport.edge.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.MockProcessorContext.CapturedPunctuator;
import org.junit.jupiter.api.Test;

class AlarmTest {
    private final MockProcessorContext<String, byte[]> context = new MockProcessorContext<>();
    private final List<Long> rang = new ArrayList<>();
    private final Alarm alarm = new Alarm(context, rang::add);

    AlarmTest() {
        context.setCurrentSystemTimeMs(1_000);
    }

    @Test
    void shouldRingOnceAndOnlyWhenAsked() {
        assertThat(set()).isEmpty();

        alarm.at(1_005);
        assertThat(set()).extracting(CapturedPunctuator::getInterval).containsExactly(Duration.ofMillis(5));
        set().get(0).getPunctuator().punctuate(1_005);

        assertThat(rang).containsExactly(1_005L);
        assertThat(set()).isEmpty();
        alarm.at(1_010);
        assertThat(set()).hasSize(1);
    }

    @Test
    void shouldBeBroughtForwardAndNeverPutOff() {
        alarm.at(Long.MAX_VALUE);
        assertThat(set()).isEmpty();
        alarm.at(1_100);
        alarm.at(1_200);
        assertThat(set()).extracting(CapturedPunctuator::getInterval).containsExactly(Duration.ofMillis(100));

        alarm.at(1_050);
        assertThat(set()).extracting(CapturedPunctuator::getInterval).containsExactly(Duration.ofMillis(50));
    }

    @Test
    void shouldRingSoonForATimeThatIsOver() {
        alarm.at(10);

        assertThat(set()).extracting(CapturedPunctuator::getInterval).containsExactly(Duration.ofMillis(1));
    }

    @Test
    void shouldNotBeSetForDaysAheadAndNotOutliveItsTask() {
        alarm.at(1_000 + Duration.ofDays(3).toMillis());
        assertThat(set()).extracting(CapturedPunctuator::getInterval).containsExactly(Duration.ofMinutes(1));

        alarm.cancel();
        assertThat(set()).isEmpty();
    }

    private List<CapturedPunctuator> set() {
        return context.scheduledPunctuators().stream()
                .filter(punctuator -> !punctuator.cancelled())
                .toList();
    }
}
