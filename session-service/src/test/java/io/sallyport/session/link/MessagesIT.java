package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.proto.link.v1.Message;
import io.sallyport.proto.link.v1.MessageAck;
import io.sallyport.proto.link.v1.MessageNack;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.log.v1.CommandOutcome;
import io.sallyport.proto.log.v1.CommandResult;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.Principal;
import io.sallyport.proto.log.v1.SessionPush;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages to a sensor and its answers. */
class MessagesIT {
    private TestGateway gateway;
    private SensorSocket sensor;
    private long sessionId;

    @BeforeEach
    void start() throws IOException {
        gateway = TestGateway.start();
        sensor = gateway.session("m-1");
        sessionId = gateway.authority.newestSessionId(new SensorKey("acme", "m-1"));
    }

    @AfterEach
    void stop() throws IOException {
        sensor.close();
        gateway.close();
    }

    private SessionPush.Builder push(String msgId) {
        return SessionPush.newBuilder()
                .setCustomerId("acme")
                .setSensorId("m-1")
                .setSessionId(sessionId)
                .setPrincipal(Principal.newBuilder().addCustomers("acme").addScopes("commands:publish"))
                .setMessage(Message.newBuilder()
                        .setMsgId(msgId)
                        .setType(MessageType.CONFIG_UPDATE)
                        .setPayload(ByteString.copyFromUtf8("payload")));
    }

    private CommandResult result(int index) {
        Awaitility.await().until(() -> gateway.commands.results.size() > index);
        return gateway.commands.results.get(index);
    }

    /** Everything that was pushed has been looked at. */
    private void settle() throws IOException {
        sensor.send(FrameType.PING, new byte[0]);
        sensor.read(FrameType.PONG);
    }

    @Test
    void shouldDeliverAndPassTheAnswersOn() throws IOException {
        SessionPush push = push("m-a").build();
        gateway.commands.push(push);
        assertThat(Message.parseFrom(sensor.read(FrameType.MESSAGE))).isEqualTo(push.getMessage());
        sensor.send(
                FrameType.MESSAGE_ACK, MessageAck.newBuilder().setMsgId("m-a").build());
        CommandResult acked = result(0);
        assertThat(acked.getOutcome()).isEqualTo(CommandOutcome.COMMAND_ACKED);
        assertThat(acked.getMsgId()).isEqualTo("m-a");
        assertThat(acked.getSessionId()).isEqualTo(sessionId);

        gateway.commands.push(push("m-b").build());
        sensor.read(FrameType.MESSAGE);
        sensor.send(
                FrameType.MESSAGE_NACK,
                MessageNack.newBuilder()
                        .setMsgId("m-b")
                        .setCode(17)
                        .setDetail("cannot")
                        .build());
        CommandResult nacked = result(1);
        assertThat(nacked.getOutcome()).isEqualTo(CommandOutcome.COMMAND_NACKED);
        assertThat(nacked.getCode()).isEqualTo(17);
        assertThat(nacked.getDetail()).isEqualTo("cannot");
        assertThat(gateway.counted("sallyport.alerts", "kind", "MESSAGE_NACKED"))
                .isEqualTo(1);
    }

    @Test
    void shouldCountAndIgnoreAnswersToUnknownMessages() throws IOException {
        gateway.commands.push(push("m-a").build());
        sensor.read(FrameType.MESSAGE);
        sensor.send(
                FrameType.MESSAGE_ACK, MessageAck.newBuilder().setMsgId("m-a").build());
        sensor.send(
                FrameType.MESSAGE_ACK, MessageAck.newBuilder().setMsgId("m-a").build());
        sensor.send(
                FrameType.MESSAGE_NACK, MessageNack.newBuilder().setMsgId("m-a").build());
        sensor.send(
                FrameType.MESSAGE_ACK,
                MessageAck.newBuilder().setMsgId("no-such").build());
        settle();
        assertThat(gateway.commands.results).hasSize(1);
        assertThat(gateway.counted("sallyport.link.notes", "kind", "unknown_message_answer"))
                .isEqualTo(3);
        assertThat(gateway.counted("sallyport.alerts", "kind", "MESSAGE_NACKED"))
                .isZero();
    }

    @Test
    void shouldNotDeliverWhatHasExpired() throws IOException {
        var push = push("m-a");
        push.getMessageBuilder().setExpiresAtUs(1_700_000_000_000_000L);
        gateway.commands.push(push.build());
        CommandResult result = result(0);
        assertThat(result.getOutcome()).isEqualTo(CommandOutcome.COMMAND_NOT_DELIVERED);
        assertThat(result.getDetail()).isEqualTo("expired");
        settle();
    }

    @Test
    void shouldRefuseAPushThatIsNotForThisSensorOrByNobodyWhoMay() throws IOException {
        gateway.commands.push(push("m-a").setSensorId("m-2").build());
        assertThat(result(0).getSensorId()).isEqualTo("m-2");
        gateway.commands.push(push("m-b").setCustomerId("globex").build());
        assertThat(result(1).getCustomerId()).isEqualTo("globex");
        gateway.commands.push(push("m-c")
                .setPrincipal(Principal.newBuilder().addCustomers("globex").addScopes("commands:publish"))
                .build());
        var action = push("m-d");
        action.getMessageBuilder().setType(MessageType.RESPONSE_ACTION);
        gateway.commands.push(action.build());
        gateway.commands.push(push("m-e").clearPrincipal().build());
        result(4);
        settle();
        assertThat(gateway.commands.results)
                .allMatch(result -> result.getOutcome() == CommandOutcome.COMMAND_NOT_DELIVERED);
        assertThat(gateway.counted("sallyport.alerts", "kind", "PUSH_IDENTITY_MISMATCH"))
                .isEqualTo(5);
        action.getPrincipalBuilder().addScopes("commands:respond");
        gateway.commands.push(action.build());
        sensor.read(FrameType.MESSAGE);
    }

    @Test
    void shouldHoldBackWhatIsNewerThanOneThatWasLost() throws IOException {
        gateway.commands.push(
                push("release").setRevision(9).setPreviousRevision(8).build());
        Awaitility.await().until(() -> gateway.counted("sallyport.link.notes", "kind", "push_out_of_order") == 1);

        gateway.commands.push(push("isolate").setRevision(8).build());
        gateway.commands.push(
                push("release").setRevision(9).setPreviousRevision(8).build());
        assertThat(readMsgId(sensor)).isEqualTo("isolate");
        assertThat(readMsgId(sensor)).isEqualTo("release");
    }

    @Test
    void shouldNotWaitForOneThatItRefusedItself() throws IOException {
        var expired = push("m-a").setRevision(8);
        expired.getMessageBuilder().setExpiresAtUs(1_700_000_000_000_000L);
        gateway.commands.push(expired.build());
        gateway.commands.push(push("m-b").setRevision(9).setPreviousRevision(8).build());

        assertThat(readMsgId(sensor)).isEqualTo("m-b");
    }

    @Test
    void shouldHandOverBehindAcceptWhatWasPushedWhileTheSessionOpened() throws Exception {
        var granted = new CompletableFuture<EpochAnswer>();
        gateway.authority.script = (key, claim) -> granted;
        try (SensorSocket opening = gateway.connect()) {
            opening.send(
                    FrameType.SENSOR_START,
                    Wire.start("acme", "m-2")
                            .setToken(TestPki.shared().token("acme", "m-2"))
                            .build());
            Awaitility.await().until(() -> gateway.authority.claims.size() == 2);
            EpochClaim claim = gateway.authority.claims.get(1);
            // The directory has it already, and the router answers to that.
            gateway.commands.push(push("m-a")
                    .setSensorId("m-2")
                    .setSessionId(claim.getSessionId())
                    .setRevision(8)
                    .build());
            granted.complete(FakeAuthority.usual(claim).build());
            opening.read(FrameType.ACCEPT);
            assertThat(readMsgId(opening)).isEqualTo("m-a");
        }
    }

    @Test
    void shouldMakeASessionKnownOnlyWhenPushesAreReceived() throws Exception {
        var listening = new CompletableFuture<Void>();
        gateway.commands.listening = listening;
        try (SensorSocket opening = gateway.connect()) {
            opening.send(
                    FrameType.SENSOR_START,
                    Wire.start("acme", "m-2")
                            .setToken(TestPki.shared().token("acme", "m-2"))
                            .build());
            settle();
            Awaitility.await().until(() -> gateway.gauge("sallyport.handshakes") == 1);
            assertThat(gateway.authority.claims).hasSize(1);

            listening.complete(null);
            opening.read(FrameType.ACCEPT);
            assertThat(gateway.authority.claims).hasSize(2);
        }
    }

    private static String readMsgId(SensorSocket from) throws IOException {
        return Message.parseFrom(from.read(FrameType.MESSAGE)).getMsgId();
    }

    @Test
    void shouldDropAPushForASessionThatIsGone() throws IOException {
        gateway.commands.push(push("m-a").setSessionId(sessionId - 1).build());
        settle();
        assertThat(gateway.commands.results).isEmpty();
        assertThat(gateway.counted("sallyport.link.notes", "kind", "push_without_session"))
                .isEqualTo(1);
    }

    @Test
    void shouldEndASessionWhoseAnswerDoesNotParse() throws IOException {
        sensor.send(FrameType.MESSAGE_ACK, new byte[] {0x0A, 0x02, (byte) 0xC3, 0x28});
        assertThat(sensor.readReject().getCode()).isEqualTo(RejectCode.FRAME_MALFORMED);
        assertThat(sensor.isClosedByPeer()).isTrue();
    }
}
