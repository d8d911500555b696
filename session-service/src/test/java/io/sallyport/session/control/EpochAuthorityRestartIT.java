package io.sallyport.session.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.broker.TestBroker;
import io.sallyport.edge.streams.RunningTopology;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.ClaimOutcome;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.EpochState;
import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.session.streams.EpochAuthorityStreams;
import io.sallyport.session.streams.EpochMeters;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the authority's answers are when it was away: started anew, killed, or not there at all. */
class EpochAuthorityRestartIT {
    private static final String BOOTSTRAP = TestBroker.shared().bootstrapServers();

    @TempDir
    Path stateDir;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    @Test
    void shouldRebuildItsStoreFromTheLogAndRepeatItsAnswers() throws Exception {
        var sensor = new SensorKey("acme", "authority-rebuilt");
        EpochClaim claim;
        EpochAnswer answer;
        RunningTopology streams = started("first");
        try (var node = ControlPlaneNode.start(BOOTSTRAP, 0)) {
            claim = node.newClaim(sensor, 0).build();
            answer = node.claim(sensor, claim);
            node.report(sensor, ReportKind.REPORT_FIRST_APPEND, answer, 0);
            node.report(sensor, ReportKind.REPORT_ACKED, answer, 100);
        } finally {
            streams.close();
        }
        RunningTopology rebuilt = started("second");
        try (var node = ControlPlaneNode.start(BOOTSTRAP, 0)) {
            assertThat(node.claim(sensor, claim)).isEqualTo(answer);
            assertThat(node.authority.newestSessionId(sensor)).isEqualTo(claim.getSessionId());
            assertThat(node.claim(sensor, node.resume(sensor, answer)).getWatermark())
                    .isEqualTo(100);
        } finally {
            rebuilt.close();
        }
    }

    @Test
    void shouldAnswerAlikeAfterAKill() throws Exception {
        Map<SensorKey, EpochClaim> claims = new LinkedHashMap<>();
        Map<SensorKey, EpochAnswer> answered = new LinkedHashMap<>();
        try (var node = ControlPlaneNode.start(BOOTSTRAP, 0)) {
            try (var killed = AuthorityProcess.start(BOOTSTRAP, stateDir)) {
                for (int i = 0; i < 60; i++) {
                    var sensor = new SensorKey("acme", "authority-killed-" + i);
                    claims.put(sensor, node.newClaim(sensor, 0).build());
                }
                var first = claims.entrySet().iterator().next();
                answered.put(first.getKey(), node.claim(first.getKey(), first.getValue()));
                // The others are on their way when it dies: some answered, some decided, some not even read.
                claims.forEach((sensor, claim) -> {
                    if (!answered.containsKey(sensor)) {
                        node.authority.claim(sensor, claim).thenAccept(answer -> {
                            synchronized (answered) {
                                answered.put(sensor, answer);
                            }
                        });
                    }
                });
                killed.kill();
            }
            Map<SensorKey, EpochAnswer> before;
            synchronized (answered) {
                before = Map.copyOf(answered);
            }
            try (var again = AuthorityProcess.start(BOOTSTRAP, stateDir)) {
                assertThat(again).isNotNull();
                claims.forEach((sensor, claim) -> {
                    EpochAnswer answer = node.claim(sensor, claim);
                    assertThat(answer.getOutcome()).isEqualTo(ClaimOutcome.CLAIM_GRANTED);
                    assertThat(answer.getEpoch()).isEqualTo(1);
                    assertThat(answer).isEqualTo(before.getOrDefault(sensor, answer));
                });
            }
        }
        var granted = new ArrayList<Long>();
        for (EpochState state :
                TopicContents.of(BOOTSTRAP, Topics.EPOCH_TABLE, key -> key.startsWith("acme/authority-killed-"))) {
            assertThat(state.getEpoch()).isEqualTo(1);
            // On a slow machine the node gives a claim up before its answer comes, and says so: that is no decision.
            if (state.getLiveSessionId() != 0) {
                granted.add(state.getNewestSessionId());
            }
        }
        // Each claim was decided once: what the killed process had not committed was never there.
        assertThat(granted).doesNotHaveDuplicates().hasSize(claims.size());
    }

    @Test
    void shouldGiveUpAClaimThatNobodyAnswers() throws Exception {
        var sensor = new SensorKey("acme", "authority-away");
        try (var node = ControlPlaneNode.start(BOOTSTRAP, 0)) {
            var claim = node.authority.claim(sensor, node.newClaim(sensor, 0).build());
            assertThatThrownBy(() -> claim.toCompletableFuture().get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(TimeoutException.class);
            assertThat(node.meters.get("sallyport.epoch.claims.waiting").gauge().value())
                    .isZero();
        }
    }

    @Test
    void shouldNotTakeASensorThatTriesAgainForASecondMachine() throws Exception {
        var sensor = new SensorKey("acme", "authority-slow");
        try (var node = ControlPlaneNode.start(BOOTSTRAP, 0)) {
            var given = node.newClaim(sensor, 0).build();
            var late = node.authority.claim(sensor, given).toCompletableFuture();
            assertThatThrownBy(() -> late.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(TimeoutException.class);
            RunningTopology streams = started("a");
            try {
                EpochAnswer again = node.claim(sensor, node.newClaim(sensor, 0).build());
                assertThat(again.getOutcome()).isEqualTo(ClaimOutcome.CLAIM_GRANTED);
                assertThat(again.getEpoch()).isEqualTo(1);
                List<EpochState> table = TopicContents.of(BOOTSTRAP, Topics.EPOCH_TABLE, sensor.topicKey()::equals);
                assertThat(table).anyMatch(state -> state.getNewestSessionId() == given.getSessionId());
                assertThat(table.get(table.size() - 1).getConflictsMsList()).isEmpty();
            } finally {
                streams.close();
            }
        }
    }

    private RunningTopology started(String folder) {
        var streams = EpochAuthorityStreams.of(
                EpochAuthorityStreams.member(BOOTSTRAP, 0, stateDir.resolve(folder), "", TopicSizing.LOCAL),
                new EpochMeters(meters));
        streams.start();
        return streams;
    }
}
