package io.sallyport.session.link;

import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.log.v1.ClaimOutcome;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.SessionReport;
import io.sallyport.session.core.EpochAuthority;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;

/** An authority with a script: by default a sensor without epoch gets 1, one with an epoch resumes it. */
final class FakeAuthority implements EpochAuthority {
    final List<EpochClaim> claims = new CopyOnWriteArrayList<>();
    final List<SessionReport> reports = new CopyOnWriteArrayList<>();
    final List<CompletableFuture<Void>> heldReports = new CopyOnWriteArrayList<>();
    private final List<Listener> listeners = new ArrayList<>();
    private final Map<SensorKey, Long> newest = new ConcurrentHashMap<>();
    volatile boolean holdReports;
    volatile BiFunction<SensorKey, EpochClaim, CompletionStage<EpochAnswer>> script =
            (sensor, claim) -> CompletableFuture.completedFuture(usual(claim).build());

    static EpochAnswer.Builder usual(EpochClaim claim) {
        EpochAnswer.Builder answer = EpochAnswer.newBuilder()
                .setClaimId(claim.getClaimId())
                .setOutcome(ClaimOutcome.CLAIM_GRANTED)
                .setNewestSessionId(claim.getSessionId());
        return claim.hasPresentedEpoch()
                ? answer.setEpoch(claim.getPresentedEpoch())
                        .setVerdict(EpochVerdict.RESUMED)
                        .setWatermark(claim.getWatermark())
                : answer.setEpoch(1).setVerdict(EpochVerdict.NEW_EPOCH_FIRST);
    }

    @Override
    public CompletionStage<EpochAnswer> claim(SensorKey sensor, EpochClaim claim) {
        claims.add(claim);
        return script.apply(sensor, claim).thenApply(answer -> {
            if (answer.getOutcome() == ClaimOutcome.CLAIM_GRANTED) {
                newest.merge(sensor, claim.getSessionId(), SessionId::newest);
            }
            return answer;
        });
    }

    @Override
    public CompletionStage<Void> report(SensorKey sensor, SessionReport report) {
        reports.add(report);
        if (holdReports) {
            var held = new CompletableFuture<Void>();
            heldReports.add(held);
            return held;
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public long newestSessionId(SensorKey sensor) {
        return newest.getOrDefault(sensor, 0L);
    }

    @Override
    public long newestEpoch(SensorKey sensor) {
        return 0;
    }

    @Override
    public void onChange(Listener listener) {
        listeners.add(listener);
    }

    void change(SensorKey sensor, long newestEpoch, long newestSessionId) {
        listeners.forEach(listener -> listener.changed(sensor, newestEpoch, newestSessionId));
    }
}
