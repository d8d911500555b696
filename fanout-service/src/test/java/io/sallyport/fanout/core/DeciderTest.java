package io.sallyport.fanout.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.registry.MessageTypes;
import io.sallyport.fanout.selector.AntlrSelectorParser;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.link.v1.MessageType;
import io.sallyport.proto.log.v1.CancelMessage;
import io.sallyport.proto.log.v1.CloudMessage;
import io.sallyport.proto.log.v1.DecisionOutcome;
import io.sallyport.proto.log.v1.EndpointMetadata;
import io.sallyport.proto.log.v1.IngressRecord;
import io.sallyport.proto.log.v1.MessageDecision;
import io.sallyport.proto.log.v1.Principal;
import io.sallyport.proto.log.v1.SessionEntry;
import io.sallyport.proto.log.v1.SessionState;
import io.sallyport.proto.log.v1.Target;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeciderTest {
    private static final long NOW_US = 1_790_000_000_000_000L;
    private static final Principal OPERATOR = Principal.newBuilder()
            .setSubject("operator")
            .addCustomers("acme")
            .addScopes(MessageTypes.SCOPE_PUBLISH)
            .build();
    private static final FanoutLimits LIMITS = new FanoutLimits(50, 1_000, 1_000, 60_000, 600_000);

    private final MetadataIndex index = new MetadataIndex();
    private final Map<String, List<String>> segments = new HashMap<>();
    private final Decider decider = new Decider(
            LIMITS,
            new SeededRegistry(),
            new TargetResolver(
                    new AntlrSelectorParser(),
                    index,
                    (customer, name) -> Optional.ofNullable(segments.get(customer + "/" + name))));
    private Principal principal = OPERATOR;

    DeciderTest() {
        for (int i = 0; i < 60; i++) {
            know("acme", "s-" + i, i < 40 ? "linux" : "windows");
        }
        know("globex", "s-0", "linux");
    }

    @Test
    void shouldAcceptAndSayWhatEveryEntryShares() {
        var accepted =
                accepted(message("m").setPriority(7).setCoalesceKey("v2").setPayload(ByteString.copyFromUtf8("hello")));

        MessageDecision decision = accepted.decision();
        assertThat(decision.getRevision()).isEqualTo(5);
        assertThat(decision.getAcceptedAtUs()).isEqualTo(NOW_US);
        assertThat(decision.getExpiresAtUs() - NOW_US)
                .isEqualTo(Duration.ofDays(1).toNanos() / 1_000);
        assertThat(decision.getResolved()).isEqualTo(1);
        assertThat(decision.getAnswer().getOutcome()).isEqualTo(DecisionOutcome.DECISION_ACCEPTED);
        assertThat(accepted.entry().getRevision()).isEqualTo(5);
        assertThat(accepted.entry().getPriority()).isEqualTo(7);
        assertThat(accepted.entry().getCoalesceKey()).isEqualTo("v2");
        assertThat(accepted.entry().getPayloadBytes()).isEqualTo(5);
        assertThat(accepted.entry().getPrincipal()).isEqualTo(OPERATOR);
        assertThat(accepted.body().getPayload().toStringUtf8()).isEqualTo("hello");
        assertThat(accepted.lane()).isEqualTo(1);
    }

    /** Its answer must not read as if the message did not exist. */
    @Test
    void shouldKeepAnAcceptedMessageWhereARepetitionIsTooMuch() {
        MessageDecision first = accepted(message("m")).decision();
        var request = new Request(
                "acme",
                9,
                NOW_US,
                IngressRecord.newBuilder()
                        .setPrincipal(OPERATOR)
                        .setPublish(message("m").build())
                        .build());
        var answered = (Verdict.Answered) decider.overloaded(first, request);
        assertThat(answered.decision().getAccepted()).isTrue();
        assertThat(answered.decision().getAnswer().getCode()).isEqualTo("OVERLOADED");
        assertThat(((Verdict.Answered) decider.overloaded(null, request))
                        .decision()
                        .getAccepted())
                .isFalse();
    }

    @Test
    void shouldChangeNothingWhereTheSameContentComesAgain() {
        MessageDecision first = accepted(message("m")).decision();
        // The guards are no content: a retry may name another bound, and the set may have changed since.
        MessageDecision again = answered(first, message("m").setMaxTargets(9).setPreviewToken("x"));

        assertThat(again.getAnswer().getOutcome()).isEqualTo(DecisionOutcome.DECISION_SAME);
        assertThat(again.toBuilder().clearAnswer().build())
                .isEqualTo(first.toBuilder().clearAnswer().build());
    }

    @Test
    void shouldCallOtherContentUnderAMsgIdAConflict() {
        MessageDecision first = accepted(message("m")).decision();
        List<UnaryOperator<CloudMessage.Builder>> changes = List.of(
                m -> m.setPayload(ByteString.copyFromUtf8("x")),
                m -> m.setTarget(sensor("s-2")),
                m -> m.setTarget(Target.newBuilder().setSegment("s-1")),
                m -> m.setTarget(Target.newBuilder().setFleet(true)),
                m -> m.setType(MessageType.THREAT_INTEL_UPDATE_VALUE),
                m -> m.setPriority(1),
                m -> m.setTtlMs(86_400_000),
                m -> m.setJitterMs(0),
                m -> m.setCoalesceKey("k"));
        for (var change : changes) {
            MessageDecision conflict = answered(first, change.apply(message("m")));
            assertThat(conflict.getAnswer().getOutcome()).isEqualTo(DecisionOutcome.DECISION_CONFLICT);
            assertThat(conflict.getAnswer().getCode()).isEqualTo("MSG_ID_CONFLICT");
            assertThat(conflict.getContentHash()).isEqualTo(first.getContentHash());
            assertThat(conflict.getRevision()).isEqualTo(first.getRevision());
        }
    }

    @ParameterizedTest
    @CsvSource({"0, THRESHOLD", "39, THRESHOLD", "40,", "1000,"})
    void shouldHoldTheBoundForEveryKindOfTarget(int bound, String code) {
        segments.put("acme/many", index.fleet("acme").range(0, 60));
        for (Target target : List.of(
                selector("os.family = linux"),
                Target.newBuilder().setSegment("many").build())) {
            boolean segment = target.hasSegment();
            int named = bound == 40 && segment ? 60 : bound;
            // 40 Linux sensors stand below the default of 50; 60 members above it.
            String expected = bound == 0 && !segment ? null : code;
            Verdict verdict = publish(null, message("m").setTarget(target).setMaxTargets(named));
            assertThat(code(verdict)).as("%s %d", target, named).isEqualTo(expected);
        }
        Verdict fleet = publish(
                null, message("m").setTarget(Target.newBuilder().setFleet(true)).setMaxTargets(0));
        assertThat(code(fleet)).isEqualTo("THRESHOLD");
    }

    @Test
    void shouldUseExactlyThePreviewedSetOrNone() {
        var linux = selector("os.family = linux");
        String token = PreviewToken.of("acme", resolved("os.family = linux"), NOW_US / 1_000)
                .text();
        assertThat(code(publish(null, message("m").setTarget(linux).setPreviewToken(token))))
                .isNull();

        String other = PreviewToken.of("globex", resolved("os.family = linux"), NOW_US / 1_000)
                .text();
        assertThat(code(publish(null, message("m").setTarget(linux).setPreviewToken(other))))
                .isEqualTo("PREVIEW_STALE");
        String expired = PreviewToken.of("acme", resolved("os.family = linux"), NOW_US / 1_000 - 1)
                .text();
        assertThat(code(publish(null, message("m").setTarget(linux).setPreviewToken(expired))))
                .isEqualTo("PREVIEW_STALE");
        String later = PreviewToken.parse(token)
                .map(real -> new PreviewToken(real.expiresAtMs() + 1, real.digest()).text())
                .orElseThrow();
        assertThat(code(publish(null, message("m").setTarget(linux).setPreviewToken(later))))
                .isEqualTo("PREVIEW_STALE");
        know("acme", "s-new", "linux");
        assertThat(code(publish(null, message("m").setTarget(linux).setPreviewToken(token))))
                .isEqualTo("PREVIEW_STALE");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "AAAA", "not base64!", "AQ=="})
    void shouldTellATokenFromOtherText(String token) {
        assertThat(code(publish(null, message("m").setPreviewToken(token)))).isEqualTo("BAD_PREVIEW_TOKEN");
        assertThat(code(publish(null, message("m").setPreviewToken(token.repeat(100_000)))))
                .isEqualTo("BAD_PREVIEW_TOKEN");
    }

    @ParameterizedTest
    @CsvSource({"1,", "2592000000,", "0, BAD_TTL", "-1, BAD_TTL", "2592000001, BAD_TTL", "9223372036854775807, BAD_TTL"
    })
    void shouldBoundTheTimeToLive(long ttlMs, String code) {
        Verdict verdict = publish(null, message("m").setTtlMs(ttlMs));
        assertThat(code(verdict)).isEqualTo(code);
        if (code == null) {
            assertThat(((Verdict.Accepted) verdict).decision().getExpiresAtUs()).isEqualTo(NOW_US + ttlMs * 1_000);
        }
    }

    @Test
    void shouldSpreadOnlyWhatMayBeSpreadAndNeverPastTheExpiry() {
        var linux = message("m").setTarget(selector("os.family = linux"));
        assertThat(window(linux.clone())).isEqualTo(40);
        assertThat(window(linux.clone().setJitterMs(60_000))).isEqualTo(60_000);
        assertThat(window(linux.clone().setJitterMs(0))).isZero();
        assertThat(window(linux.clone().setTtlMs(20))).isEqualTo(19);
        assertThat(window(message("m"))).isZero();
        assertThat(code(publish(null, linux.clone().setJitterMs(60_001)))).isEqualTo("BAD_FIELD");
        assertThat(code(publish(null, linux.clone().setJitterMs(-1)))).isEqualTo("BAD_FIELD");
        principal = OPERATOR.toBuilder().addScopes(MessageTypes.SCOPE_RESPOND).build();
        assertThat(window(
                        linux.clone().setType(MessageType.RESPONSE_ACTION_VALUE).setJitterMs(60_000)))
                .isZero();
    }

    @Test
    void shouldLookAtScopesAndCustomersAgain() {
        assertThat(code(publish(null, message("m").setType(MessageType.RESPONSE_ACTION_VALUE))))
                .isEqualTo("MISSING_SCOPE");
        principal = OPERATOR.toBuilder().clearScopes().build();
        assertThat(code(publish(null, message("m")))).isEqualTo("MISSING_SCOPE");
        principal = OPERATOR;
        assertThat(code(publish(null, message("m").setType(99)))).isEqualTo("UNKNOWN_TYPE");

        principal = OPERATOR.toBuilder().clearCustomers().addCustomers("globex").build();
        assertThat(publish(null, message("m")))
                .isInstanceOfSatisfying(
                        Verdict.Dropped.class,
                        dropped -> assertThat(dropped.crossTenant()).isTrue());
        principal = OPERATOR.toBuilder().addCustomers("globex").build();
        assertThat(publish(null, message("m").setCustomerId("globex")))
                .isInstanceOfSatisfying(
                        Verdict.Dropped.class,
                        dropped -> assertThat(dropped.crossTenant()).isTrue());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a/b", "é", "a\u0000"})
    void shouldDropAMsgIdThatBreaksTheSyntax(String msgId) {
        assertThat(publish(null, message(msgId))).isInstanceOf(Verdict.Dropped.class);
    }

    @Test
    void shouldTakeNoTargetOfAnotherCustomerAndNoPatternForAName() {
        know("globex", "only-theirs", "linux");
        segments.put("globex/theirs", List.of("only-theirs"));
        assertThat(code(publish(null, message("m").setTarget(sensor("only-theirs")))))
                .isEqualTo("UNKNOWN_SENSOR");
        assertThat(code(publish(null, message("m").setTarget(Target.newBuilder().setSegment("theirs")))))
                .isEqualTo("UNKNOWN_SEGMENT");
        for (String id : List.of("s-*", "*", "#", "+", "", "s\0x", "../s-1", "a".repeat(65))) {
            assertThat(code(publish(null, message("m").setTarget(sensor(id)))))
                    .as(id)
                    .isEqualTo("BAD_SENSOR_ID");
        }
        assertThat(code(publish(null, message("m").clearTarget()))).isEqualTo("EMPTY_SELECTOR");
        assertThat(code(publish(null, message("m").setTarget(Target.newBuilder().setFleet(false)))))
                .isEqualTo("EMPTY_SELECTOR");
    }

    @Test
    void shouldLeaveRetiredMembersOfASegmentOut() {
        segments.put("acme/mixed", List.of("s-3", "gone", "s-1", "s-3"));
        var accepted = accepted(message("m").setTarget(Target.newBuilder().setSegment("mixed")));
        assertThat(accepted.plan().sensorIds()).containsExactly("s-1", "s-3");
    }

    @Test
    void shouldPlanConnectedSensorsBeforeThoseThatAreAway() {
        for (String sensor : List.of("s-7", "s-30", "s-5")) {
            index.session(
                    new SensorKey("acme", sensor),
                    SessionEntry.newBuilder()
                            .setSessionId(SessionId.of(NOW_US / 1_000, 1, 0))
                            .setState(SessionState.SESSION_CONNECTED)
                            .setNode(1)
                            .build());
        }
        var accepted = accepted(
                message("m").setTarget(Target.newBuilder().setFleet(true)).setMaxTargets(60));

        assertThat(accepted.plan().sensorIds())
                .hasSize(60)
                .doesNotHaveDuplicates()
                .startsWith("s-30", "s-5", "s-7");
        assertThat(accepted.plan().sensorIds().subList(3, 60)).isSorted();
        assertThat(accepted.decision().getResolved()).isEqualTo(60);
    }

    @Test
    void shouldCancelOnceAndOnlyWhatThereIs() {
        assertThat(code(cancel(null))).isEqualTo("UNKNOWN_MESSAGE");
        MessageDecision known = accepted(message("m")).decision();
        var cancelled = (Verdict.Cancelled) cancel(known);
        assertThat(cancelled.decision().getCancelRevision()).isEqualTo(5);
        var again = (Verdict.Answered) cancel(cancelled.decision());
        assertThat(again.decision().getAnswer().getOutcome()).isEqualTo(DecisionOutcome.DECISION_CANCELLED);
        principal = OPERATOR.toBuilder().clearScopes().build();
        assertThat(code(cancel(known))).isEqualTo("MISSING_SCOPE");
    }

    private long window(CloudMessage.Builder message) {
        return accepted(message).decision().getJitterWindowMs();
    }

    private SensorSet resolved(String selector) {
        return ((Answer.Given<SensorSet>)
                        new AntlrSelectorParser().parse(selector).then(parsed -> index.select("acme", parsed, NOW_US)))
                .value();
    }

    private Verdict.Accepted accepted(CloudMessage.Builder message) {
        Verdict verdict = publish(null, message);
        assertThat(verdict).as("%s", code(verdict)).isInstanceOf(Verdict.Accepted.class);
        return (Verdict.Accepted) verdict;
    }

    private MessageDecision answered(MessageDecision known, CloudMessage.Builder message) {
        return ((Verdict.Answered) publish(known, message)).decision();
    }

    private Verdict publish(MessageDecision known, CloudMessage.Builder message) {
        return decider.decide(known, request(IngressRecord.newBuilder().setPublish(message)), NOW_US);
    }

    private Verdict cancel(MessageDecision known) {
        return decider.decide(
                known,
                request(IngressRecord.newBuilder()
                        .setCancel(
                                CancelMessage.newBuilder().setCustomerId("acme").setMsgId("m"))),
                NOW_US);
    }

    private Request request(IngressRecord.Builder record) {
        return new Request(
                "acme",
                5,
                NOW_US,
                record.setRequestId("r").setPrincipal(principal).build());
    }

    /** Null where the verdict is no refusal. */
    private static String code(Verdict verdict) {
        return verdict instanceof Verdict.Answered answered
                        && !answered.decision().getAnswer().getCode().isEmpty()
                ? answered.decision().getAnswer().getCode()
                : null;
    }

    private static CloudMessage.Builder message(String msgId) {
        return CloudMessage.newBuilder()
                .setCustomerId("acme")
                .setMsgId(msgId)
                .setType(MessageType.CONFIG_UPDATE_VALUE)
                .setTarget(sensor("s-1"));
    }

    private static Target sensor(String id) {
        return Target.newBuilder().setSensorId(id).build();
    }

    private static Target selector(String text) {
        return Target.newBuilder().setSelector(text).build();
    }

    private void know(String customer, String sensor, String family) {
        index.describe(
                new SensorKey(customer, sensor),
                EndpointMetadata.newBuilder()
                        .setVersion(1)
                        .setAtUs(NOW_US)
                        .setHost(HostMetadata.newBuilder().setOsFamily(family))
                        .build());
    }
}
