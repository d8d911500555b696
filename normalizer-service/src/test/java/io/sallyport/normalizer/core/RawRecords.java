package io.sallyport.normalizer.core;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.BatchBuilder;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.Skip;
import io.sallyport.envelope.topic.RawKind;
import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.log.v1.EpochOpen;
import io.sallyport.proto.log.v1.Stamp;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes raw records as a gateway would, for one sensor. */
public final class RawRecords {
    public static final long INGEST_US = 1_700_000_000_000_000L;

    private final SensorKey sensor;
    private long session = 1;
    private long base;
    private int flags;
    private int codec = BatchHeader.CODEC_NONE;
    private EpochVerdict verdict = EpochVerdict.RESUMED;
    private List<Integer> dropped = List.of();

    public RawRecords(SensorKey sensor) {
        this.sensor = sensor;
    }

    public SensorKey sensor() {
        return sensor;
    }

    public RawRecords session(long session, long base) {
        this.session = session;
        this.base = base;
        return this;
    }

    public RawRecords verdict(EpochVerdict verdict) {
        this.verdict = verdict;
        return this;
    }

    public RawRecords flags(int flags) {
        this.flags = flags;
        return this;
    }

    public RawRecords codec(int codec) {
        this.codec = codec;
        return this;
    }

    /** Indexes that the gateway dropped from the next batch. */
    public RawRecords dropped(Integer... indexes) {
        this.dropped = List.of(indexes);
        return this;
    }

    public record Event(long seq, long tsUs, int type, byte[] payload) {
        public static Event of(long seq) {
            return of(seq, "event " + seq);
        }

        public static Event of(long seq, String payload) {
            return new Event(seq, INGEST_US, 4, payload.getBytes(StandardCharsets.UTF_8));
        }

        public Event type(int other) {
            return new Event(seq, tsUs, other, payload);
        }

        public Event ts(long otherUs) {
            return new Event(seq, otherUs, type, payload);
        }
    }

    /** A batch of ordinary events with these seqs. */
    public RawRecord batch(long appendMs, long epoch, long... seqs) {
        var events = new Event[seqs.length];
        for (int i = 0; i < seqs.length; i++) {
            events[i] = Event.of(seqs[i]);
        }
        return batch(appendMs, epoch, events);
    }

    public RawRecord batch(long appendMs, long epoch, Event... events) {
        byte[] body = body(epoch, events);
        RawRecord record = raw(appendMs, RawKind.BATCH, body);
        dropped = List.of();
        return record;
    }

    public byte[] body(long epoch, Event... events) {
        var builder = new BatchBuilder();
        for (Event event : events) {
            builder.add(event.seq(), event.tsUs(), event.type(), 1, ByteBuffer.wrap(event.payload()));
        }
        return builder.build(epoch, 7, codec, flags);
    }

    public RawRecord range(long appendMs, long epoch, long from, long to) {
        var seqs = new long[(int) (to - from + 1)];
        for (int i = 0; i < seqs.length; i++) {
            seqs[i] = from + i;
        }
        return batch(appendMs, epoch, seqs);
    }

    public RawRecord skip(long appendMs, long epoch, long from, long to, int reason) {
        return raw(appendMs, RawKind.SKIP, new Skip(epoch, from, to, reason).toBytes());
    }

    public RawRecord open(long appendMs, EpochOpen open) {
        return raw(appendMs, RawKind.EPOCH_OPEN, open.toByteArray());
    }

    public RawRecord raw(long appendMs, RawKind kind, byte @Nullable [] value) {
        return new RawRecord(
                appendMs,
                sensor.topicKeyBytes(),
                kind.name().getBytes(StandardCharsets.US_ASCII),
                stamp().toByteArray(),
                value);
    }

    public Stamp stamp() {
        return Stamp.newBuilder()
                .setCustomerId(sensor.customerId())
                .setSensorId(sensor.sensorId())
                .setSessionId(session)
                .setIngestTsUs(INGEST_US)
                .setVerdict(verdict)
                .setBaseWatermark(base)
                .addAllDroppedIndexes(dropped)
                .build();
    }
}
