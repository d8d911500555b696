package io.sallyport.router.core;

import static io.sallyport.router.core.Entries.cancel;
import static io.sallyport.router.core.Entries.entry;
import static io.sallyport.router.core.Entries.update;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.registry.MessageTypes;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.CommandOutcome;
import io.sallyport.proto.log.v1.CommandResult;
import io.sallyport.proto.log.v1.Principal;
import io.sallyport.proto.log.v1.TargetState;
import org.junit.jupiter.api.Test;

class AdmissionTest {
    private static final long SESSION = 9L << 20;

    private final QueueBench queue = new QueueBench();

    @Test
    void shouldRejectWhatItsPrincipalMayNotSend() {
        queue.connect(SESSION);
        Principal stranger = Entries.OPERATOR.toBuilder()
                .clearCustomers()
                .addCustomers("globex")
                .build();
        Principal reader = Entries.OPERATOR.toBuilder().clearScopes().build();
        Principal publisher = Entries.OPERATOR.toBuilder()
                .clearScopes()
                .addScopes(MessageTypes.SCOPE_PUBLISH)
                .build();
        queue.enter(entry("foreign", 1, MessageType.CONFIG_UPDATE).setPrincipal(stranger));
        queue.enter(entry("unscoped", 2, MessageType.CONFIG_UPDATE).setPrincipal(reader));
        queue.enter(entry("action", 3, MessageType.RESPONSE_ACTION).setPrincipal(publisher));
        queue.enter(entry("unknown", 4, MessageType.CONFIG_UPDATE).setType(77));

        assertThat(queue.pushes).isEmpty();
        assertThat(queue.told.get("foreign").getDetail()).isEqualTo("PRINCIPAL_MISMATCH");
        assertThat(queue.told.get("unscoped").getDetail()).isEqualTo("SCOPE_MISSING");
        assertThat(queue.told.get("action").getDetail()).isEqualTo("SCOPE_MISSING");
        assertThat(queue.told.get("unknown").getDetail()).isEqualTo("UNKNOWN_TYPE");
        assertThat(queue.told.values()).allMatch(status -> status.getState() == TargetState.REJECTED);
        assertThat(queue.alerts).hasSize(4).containsOnly(AlertKind.PRINCIPAL_MISMATCH);
    }

    @Test
    void shouldRefuseAForgedCustomerWithoutTouchingEitherTenant() {
        queue.connect(SESSION);
        queue.apply(new QueueEvent.Entered(
                entry("m", 1, MessageType.CONFIG_UPDATE).setCustomerId("globex").build()));

        assertThat(queue.pushes).isEmpty();
        assertThat(queue.told).isEmpty();
        assertThat(queue.settled).isEmpty();
        assertThat(queue.notes).containsExactly(Note.FORGED_IDENTITY);
        assertThat(queue.alerts).containsExactly(AlertKind.FORGED_IDENTITY);
        assertThat(queue.enter(entry("m", 2, MessageType.CONFIG_UPDATE))).containsExactly("m");
    }

    @Test
    void shouldNeverSendWhatHasExpired() {
        queue.enter(entry("late", 1, MessageType.CONFIG_UPDATE).setExpiresAtUs(queue.nowUs));
        queue.enter(entry("soon", 2, MessageType.RESPONSE_ACTION).setExpiresAtUs(queue.nowUs + 1));
        queue.nowUs += 1;

        assertThat(queue.connect(SESSION)).isEmpty();
        assertThat(queue.stateOf("late")).isEqualTo(TargetState.EXPIRED);
        assertThat(queue.stateOf("soon")).isEqualTo(TargetState.EXPIRED);
        queue.ack("soon");
        assertThat(queue.told.get("soon").getLateAck()).isTrue();
        assertThat(queue.stateOf("soon")).isEqualTo(TargetState.EXPIRED);
    }

    @Test
    void shouldCoalesceUpdatesOfOneVersionOnly() {
        queue.enter(update("a", 1, "v5"));
        queue.enter(update("b", 2, "v6"));
        queue.enter(update("c", 3, "v5"));
        queue.enter(entry("x", 4, MessageType.THREAT_INTEL_UPDATE));
        queue.enter(entry("y", 5, MessageType.CONFIG_UPDATE));

        assertThat(queue.open()).containsExactly("b", "c", "x", "y");
        assertThat(queue.stateOf("a")).isEqualTo(TargetState.SUPERSEDED_BY_NEWER);
    }

    @Test
    void shouldNeverCoalesceActions() {
        queue.enter(entry("a", 1, MessageType.RESPONSE_ACTION).setCoalesceKey("k"));
        queue.enter(entry("b", 2, MessageType.RESPONSE_ACTION).setCoalesceKey("k"));

        assertThat(queue.open()).containsExactly("a", "b");
    }

    @Test
    void shouldWithdrawWhatIsPendingAndNotRepeatWhatIsInFlight() {
        queue.connect(SESSION);
        queue.enter(entry("sent", 1, MessageType.RESPONSE_ACTION));
        queue.enter(entry("answered", 2, MessageType.RESPONSE_ACTION));
        queue.disconnect(SESSION);
        queue.enter(entry("waiting", 3, MessageType.RESPONSE_ACTION));
        for (String msgId : new String[] {"sent", "answered", "waiting"}) {
            queue.enter(cancel(msgId, 1, 4));
        }
        assertThat(queue.stateOf("waiting")).isEqualTo(TargetState.CANCELLED);
        assertThat(queue.stateOf("sent")).isEqualTo(TargetState.IN_FLIGHT);

        queue.ack("answered");
        assertThat(queue.connect(SESSION + 1)).isEmpty();
        assertThat(queue.stateOf("answered")).isEqualTo(TargetState.ACKED);
        assertThat(queue.stateOf("sent")).isEqualTo(TargetState.CANCELLED);
    }

    @Test
    void shouldHonourACancellationThatComesBeforeItsEntry() {
        queue.connect(SESSION);
        queue.enter(cancel("m", 1, 2));

        assertThat(queue.enter(entry("m", 1, MessageType.RESPONSE_ACTION))).isEmpty();
        assertThat(queue.stateOf("m")).isEqualTo(TargetState.CANCELLED);
        assertThat(queue.notes).containsExactly(Note.DUPLICATE_ENTRY);
    }

    @Test
    void shouldRefuseACancellationByAStranger() {
        queue.enter(entry("m", 1, MessageType.RESPONSE_ACTION));
        queue.enter(cancel("m", 1, 2).setPrincipal(Principal.newBuilder().addCustomers("globex")));

        assertThat(queue.stateOf("m")).isEqualTo(TargetState.PENDING);
        assertThat(queue.alerts).containsExactly(AlertKind.PRINCIPAL_MISMATCH);
    }

    @Test
    void shouldSettleWhatTheGatewayRefusesButOnlyForTheSessionItWasSentTo() {
        queue.connect(SESSION);
        queue.enter(entry("m", 1, MessageType.RESPONSE_ACTION));
        CommandResult refused = Entries.acked("m").toBuilder()
                .setOutcome(CommandOutcome.COMMAND_NOT_DELIVERED)
                .setSessionId(SESSION - 1)
                .setDetail("its principal may not")
                .build();
        queue.apply(new QueueEvent.Answered(refused));
        assertThat(queue.stateOf("m")).isEqualTo(TargetState.IN_FLIGHT);

        queue.apply(new QueueEvent.Answered(
                refused.toBuilder().setSessionId(SESSION).build()));
        assertThat(queue.stateOf("m")).isEqualTo(TargetState.REJECTED);
        assertThat(queue.alerts).containsExactly(AlertKind.DELIVERY_REFUSED);
    }

    @Test
    void shouldForgetWhatWasSettledLongAgo() {
        queue.connect(SESSION);
        queue.enter(entry("m", 1, MessageType.RESPONSE_ACTION));
        queue.ack("m");
        long forgetUs = queue.state.dueUs();
        assertThat(forgetUs)
                .isGreaterThan(
                        entry("m", 1, MessageType.RESPONSE_ACTION).getExpiresAtUs() + Entries.LIMITS.retentionUs());

        queue.due();

        assertThat(queue.settled).isEmpty();
        assertThat(queue.state.dueUs()).isEqualTo(SensorState.NEVER);
    }
}
