package io.sallyport.session.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.link.v1.Message;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.SessionPush;
import org.junit.jupiter.api.Test;

class HandOverTest {
    private final HandOver handOver = new HandOver();

    @Test
    void shouldPassInOrderAndRepeat() {
        assertThat(pass(action(0))).isTrue();
        assertThat(pass(behind(0, action(5)))).isTrue();
        assertThat(pass(behind(5, action(6)))).isTrue();

        assertThat(pass(action(0))).isTrue();
        assertThat(pass(behind(0, action(5)))).isTrue();
        assertThat(pass(behind(5, action(6)))).isTrue();
    }

    @Test
    void shouldHoldWhatIsNewerThanALostOneUntilThatHasCome() {
        assertThat(pass(behind(4, action(5)))).isFalse();
        assertThat(pass(behind(5, action(6)))).isFalse();

        assertThat(pass(action(4))).isTrue();
        assertThat(pass(behind(5, action(6)))).isFalse();
        assertThat(pass(behind(4, action(5)))).isTrue();
        assertThat(pass(behind(5, action(6)))).isTrue();
    }

    @Test
    void shouldNotWaitForWhatTheRouterHasWithdrawnOrSettled() {
        assertThat(pass(behind(4, action(5)))).isFalse();

        assertThat(pass(action(5))).isTrue();
    }

    @Test
    void shouldKeepTypesApart() {
        assertThat(pass(behind(4, action(5)))).isFalse();

        assertThat(pass(push(MessageType.CONFIG_UPDATE, 7))).isTrue();
        assertThat(pass(behind(4, action(5)))).isFalse();
    }

    @Test
    void shouldCompareRevisionsUnsigned() {
        assertThat(pass(action(Long.MAX_VALUE))).isTrue();
        assertThat(pass(behind(Long.MAX_VALUE, action(Long.MIN_VALUE)))).isTrue();
        assertThat(pass(behind(Long.MIN_VALUE, action(Long.MIN_VALUE + 1)))).isTrue();
    }

    private boolean pass(SessionPush push) {
        boolean next = handOver.isNext(push);
        if (next) {
            handOver.had(push);
        }
        return next;
    }

    private static SessionPush action(long revision) {
        return push(MessageType.RESPONSE_ACTION, revision);
    }

    private static SessionPush push(MessageType type, long revision) {
        return SessionPush.newBuilder()
                .setRevision(revision)
                .setMessage(Message.newBuilder().setType(type))
                .build();
    }

    private static SessionPush behind(long previous, SessionPush push) {
        return push.toBuilder().setPreviousRevision(previous).build();
    }
}
