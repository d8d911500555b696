package io.sallyport.sim.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.envelope.link.Skip;
import io.sallyport.envelope.registry.EventTypes;
import io.sallyport.proto.link.v1.Reject;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.link.v1.SensorStart;
import io.sallyport.sim.model.CloudSensor;
import io.sallyport.sim.model.ModelSession;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random schedules of a sensor against a gateway that loses, delays, refuses and forgets. */
class SensorCorePropertyTest {
    private static final int STEPS = 1_200;
    private static final int[] TYPES = {
        EventTypes.FILE_WRITTEN, EventTypes.PROCESS_START, EventTypes.NETWORK_CONNECT_OUT, EventTypes.PROCESS_END
    };

    static LongStream seeds() {
        return LongStream.range(0, 150);
    }

    private final Set<Long> poisoned = new HashSet<>();
    /** Events that went away with a restored snapshot. */
    private final Set<Long> forgotten = new HashSet<>();

    private Random random = new Random();
    private boolean faulty = true;

    private Bench bench(long seed, boolean evict) {
        // Spread: the first numbers of neighbouring small seeds are much the same.
        random = new Random(seed * 0x9E3779B97F4A7C15L);
        var settings = SensorSettings.DEFAULTS
                .withPrioritySplit(random.nextBoolean())
                .withCodec(random.nextInt(3) == 0 ? BatchHeader.CODEC_ZSTD : BatchHeader.CODEC_NONE)
                .withSpool(
                        40 + random.nextInt(60),
                        1 << 20,
                        evict ? SensorSettings.WhenFull.EVICT_OLDEST : SensorSettings.WhenFull.WAIT);
        var bench = new Bench(settings, random);
        bench.limits = new LinkLimits(
                16_384 + random.nextInt(10_000),
                1 + random.nextInt(12),
                4_096,
                32_768,
                2 + random.nextInt(8),
                4 + random.nextInt(28));
        bench.faults = new ModelSession.Faults() {
            @Override
            public Optional<Reject> start(SensorStart start) {
                RejectCode[] codes = {
                    RejectCode.ADMISSION_LIMITED,
                    RejectCode.AUTHORITY_UNAVAILABLE,
                    RejectCode.MOVED,
                    RejectCode.UNAUTHENTICATED
                };
                return faulty && random.nextInt(6) == 0
                        ? Optional.of(Reject.newBuilder()
                                .setCode(codes[random.nextInt(codes.length)])
                                .setRetryAfterMs(random.nextInt(2_000))
                                .setEndpoint("127.0.0.1:1")
                                .build())
                        : Optional.empty();
            }

            @Override
            public Optional<Reject> batch(BatchHeader header, List<Long> contents) {
                if (contents.stream().anyMatch(poisoned::contains)) {
                    return reject(RejectCode.BATCH_MALFORMED);
                }
                if (!faulty || random.nextInt(8) != 0) {
                    return Optional.empty();
                }
                return switch (random.nextInt(4)) {
                    case 0 -> reject(RejectCode.LOG_UNAVAILABLE);
                    case 1 -> reject(RejectCode.ACK_WINDOW_EXCEEDED);
                    case 2 ->
                        reject(
                                header.codec() == BatchHeader.CODEC_NONE
                                        ? RejectCode.LOG_UNAVAILABLE
                                        : RejectCode.UNSUPPORTED_CODEC);
                    default -> reject(RejectCode.LOG_UNAVAILABLE);
                };
            }
        };
        return bench;
    }

    private Optional<Reject> reject(RejectCode code) {
        return Optional.of(Reject.newBuilder()
                .setCode(code)
                .setRetryAfterMs(random.nextInt(500))
                .build());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldEndEveryEventAckedOrSkippedWithAReason(long seed) {
        Bench bench = bench(seed, false);
        schedule(bench, false);
        verify(bench, seed);
        if (forgotten.isEmpty()) {
            assertThat(bench.core.skipped()).as("skipped, seed %s", seed).isEqualTo(poisonedAmong(bench.produced));
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldNumberNothingTwiceWhenTheDiskIsRestoredToAnEarlierState(long seed) {
        Bench bench = bench(seed, false);
        schedule(bench, true);
        verify(bench, seed);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldExplainWhatAFullSpoolEvicts(long seed) {
        Bench bench = bench(seed, true);
        schedule(bench, false);
        verify(bench, seed);
    }

    private void schedule(Bench bench, boolean rollback) {
        Bench.Disk snapshot = bench.disk.copy();
        Set<Long> atSnapshot = Set.of();
        for (int step = 0; step < STEPS; step++) {
            switch (random.nextInt(20)) {
                case 0, 1, 2, 3 -> produce(bench);
                case 4, 5, 6 -> bench.send();
                case 7, 8, 9 -> bench.gatewayReads();
                case 10, 11 -> bench.sensorReads();
                case 12, 13 -> confirm(bench);
                case 14 -> bench.connectIfWanted();
                case 15, 16 -> bench.advance(random.nextInt(10) == 0 ? 31_000 : random.nextInt(400));
                case 17 -> sessionEvent(bench);
                case 18 -> {
                    if (random.nextInt(12) == 0) {
                        bench.effectsToCrash = random.nextInt(6);
                    } else if (random.nextInt(8) == 0) {
                        bench.failConnects = random.nextInt(3);
                    }
                }
                default -> {
                    if (rollback && random.nextInt(60) == 0) {
                        bench.disk = snapshot.copy();
                        var lost = new HashSet<>(bench.produced);
                        lost.removeAll(atSnapshot);
                        forgotten.addAll(lost);
                        bench.restart();
                    } else if (rollback && random.nextInt(40) == 0) {
                        snapshot = bench.disk.copy();
                        atSnapshot = new HashSet<>(bench.produced);
                    }
                }
            }
        }
        faulty = false;
        bench.effectsToCrash = -1;
        if (bench.session != null && bench.session.draining) {
            bench.disconnect();
        }
        bench.settle();
    }

    private void produce(Bench bench) {
        int count = Math.min(bench.core.room(), 1 + random.nextInt(6));
        var events = new ArrayList<SensorEvent>();
        for (int i = 0; i < count; i++) {
            SensorEvent event = bench.event(TYPES[random.nextInt(TYPES.length)], 8 + random.nextInt(3_000));
            if (random.nextInt(60) == 0) {
                poisoned.add(Bench.contentOf(event));
            }
            events.add(event);
        }
        if (count > 0 && bench.effectsToCrash < 0) {
            bench.append(events.toArray(SensorEvent[]::new));
        }
    }

    private void confirm(Bench bench) {
        if (bench.session != null && bench.session.isOpen()) {
            if (bench.session.pending() > 0) {
                bench.session.confirm(random.nextInt(bench.session.pending()));
            }
            if (random.nextBoolean()) {
                bench.session.ack(random.nextInt(5) == 0 ? random.nextInt(300) : 0);
                bench.collect();
            }
        }
    }

    private void sessionEvent(Bench bench) {
        if (bench.session == null || !bench.session.isOpen()) {
            return;
        }
        switch (random.nextInt(10)) {
            case 0, 1 -> bench.disconnect();
            case 2 -> {
                bench.session.drain(random.nextInt(1_000));
                bench.collect();
            }
            case 3 -> {
                bench.session.end(
                        Reject.newBuilder().setCode(RejectCode.SUPERSEDED).build());
                bench.collect();
            }
            default -> {}
        }
    }

    private void verify(Bench bench, long seed) {
        assertThat(bench.breaches).as("what the sensor did, seed %s", seed).isEmpty();
        assertThat(bench.cloud.breaches)
                .as("what the gateway saw, seed %s", seed)
                .isEmpty();
        assertThat(bench.core.isSettled())
                .as("settled, seed %s: %s %s", seed, bench.core, bench.cloud.current().watermark)
                .isTrue();
        var seen = new HashSet<>(bench.cloud.log);
        CloudSensor.Epoch last = bench.cloud.current();
        long unexplained = bench.produced.stream()
                .filter(content -> !seen.contains(content) && !forgotten.contains(content))
                .count();
        // What never reached the log was given up, and the sensor counts it.
        assertThat(unexplained).as("gone, seed %s", seed).isLessThanOrEqualTo(bench.core.skipped());
        for (long seq = 1; seq <= last.watermark; seq++) {
            assertThat(last.contents.containsKey(seq) || last.skips.containsKey(seq) || seq <= last.base)
                    .as("number %s is explained, seed %s", seq, seed)
                    .isTrue();
        }
        assertThat(last.skips.values())
                .as("reasons, seed %s", seed)
                .allMatch(reason -> reason == Skip.REASON_REFUSED || reason == Skip.REASON_EVICTED);
    }

    private long poisonedAmong(Set<Long> contents) {
        return contents.stream().filter(poisoned::contains).count();
    }
}
