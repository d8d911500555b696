package io.sallyport.router.core;

import static io.sallyport.router.core.Entries.entry;
import static io.sallyport.router.core.Entries.update;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.TargetState;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** One cap for the whole queue, whatever the lanes; the lowest goes first, and an urgent message never. */
class H22QueueCapTest {
    private final QueueBench queue = new QueueBench("s-22", Entries.capOf(100));

    @Test
    void shouldEvictNoticesForActionsAndRefuseActionsOnlyThen() {
        for (int i = 1; i <= 100; i++) {
            queue.enter(update("notice-" + i, i, "v" + i));
        }
        for (int i = 1; i <= 151; i++) {
            queue.enter(entry("action-" + i, 100 + i, MessageType.RESPONSE_ACTION));
        }

        assertThat(queue.mostOpen).isEqualTo(100);
        assertThat(queue.open())
                .containsExactlyElementsOf(IntStream.rangeClosed(1, 100)
                        .mapToObj(i -> "action-" + i)
                        .toList());
        assertThat(queue.markers.stream().map(marker -> marker.message().getMsgId()))
                .containsExactlyElementsOf(IntStream.rangeClosed(1, 100)
                        .mapToObj(i -> "notice-" + i)
                        .toList());
        for (int i = 1; i <= 100; i++) {
            assertThat(queue.stateOf("notice-" + i)).isEqualTo(TargetState.EVICTED);
        }
        for (int i = 101; i <= 151; i++) {
            assertThat(queue.stateOf("action-" + i)).isEqualTo(TargetState.REJECTED);
            assertThat(queue.told.get("action-" + i).getDetail()).isEqualTo("QUEUE_FULL");
        }
        assertThat(queue.alerts).hasSize(51).containsOnly(AlertKind.QUEUE_FULL);
    }

    @Test
    void shouldEvictTheOldestOfTheLowestPriority() {
        for (int i = 1; i <= 100; i++) {
            queue.enter(update("m-" + i, i, "v" + i).setPriority(i <= 50 ? 9 : 5));
        }

        queue.enter(update("newer", 101, "v101").setPriority(7));

        assertThat(queue.stateOf("m-51")).isEqualTo(TargetState.EVICTED);
        assertThat(queue.open()).hasSize(100).contains("newer", "m-1", "m-52");
    }

    @Test
    void shouldNotLetALowMessageSurviveAtTheCostOfAHighOne() {
        for (int i = 1; i <= 100; i++) {
            queue.enter(update("m-" + i, i, "v" + i).setPriority(5));
        }

        queue.enter(update("low", 101, "v101").setPriority(1));

        assertThat(queue.stateOf("low")).isEqualTo(TargetState.EVICTED);
        assertThat(queue.markers).hasSize(1);
        assertThat(queue.open()).hasSize(100).doesNotContain("low");
    }

    @Test
    void shouldRefuseANoticeWhereOnlyActionsAreHeld() {
        for (int i = 1; i <= 100; i++) {
            queue.enter(entry("action-" + i, i, MessageType.RESPONSE_ACTION));
        }

        queue.enter(update("notice", 101, "v1"));

        assertThat(queue.stateOf("notice")).isEqualTo(TargetState.REJECTED);
        assertThat(queue.told.get("notice").getDetail()).isEqualTo("QUEUE_FULL");
    }

    @Test
    void shouldReplaceWithinItsGroupWithoutEvictingAnother() {
        for (int i = 1; i <= 99; i++) {
            queue.enter(update("m-" + i, i, "v" + i));
        }
        queue.enter(entry("policy-8", 100, MessageType.CONFIG_UPDATE));

        queue.enter(entry("policy-9", 101, MessageType.CONFIG_UPDATE));

        assertThat(queue.stateOf("policy-8")).isEqualTo(TargetState.SUPERSEDED_BY_NEWER);
        assertThat(queue.markers).isEmpty();
        assertThat(queue.open()).hasSize(100);
    }
}
