package io.sallyport.sim.model;

import com.google.protobuf.AbstractMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.link.Ack;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.BlockDecoder;
import io.sallyport.envelope.link.Drain;
import io.sallyport.envelope.link.EventCursor;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.envelope.link.Skip;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.MessageAck;
import io.sallyport.proto.link.v1.MessageNack;
import io.sallyport.proto.link.v1.Reject;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.link.v1.SensorStart;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.zip.CRC32C;

/**
 * The gateway's side of one connection, as the sensor link describes it, without sockets: frames in, frames out. What
 * is appended becomes durable when {@link #confirm} says so.
 */
public final class ModelSession {

    /** A frame to the sensor. */
    public record Out(FrameType type, byte[] body) {}

    /** A batch or skip that waits for the log. */
    private record Pending(Runnable durable) {}

    private final Function<SensorStart, CloudSensor> clouds;
    private final LinkLimits limits;
    private final Faults faults;
    private final List<Pending> pending = new ArrayList<>();
    public final List<Out> out = new ArrayList<>();
    public final List<String> answeredMessages = new ArrayList<>();
    public CloudSensor sensor;
    public boolean closed;
    public boolean draining;
    public int batches;
    private long session;
    private long epoch;

    /** What goes wrong on purpose. */
    public interface Faults {
        /** Refuses a start; empty lets it through. */
        default Optional<Reject> start(SensorStart start) {
            return Optional.empty();
        }

        /** Refuses a batch; empty lets it through. */
        default Optional<Reject> batch(BatchHeader header, List<Long> contents) {
            return Optional.empty();
        }
    }

    public ModelSession(Function<SensorStart, CloudSensor> clouds, LinkLimits limits, Faults faults) {
        this.clouds = clouds;
        this.limits = limits;
        this.faults = faults;
    }

    public void frame(FrameType type, ByteBuffer body) {
        if (closed) {
            return;
        }
        try {
            switch (type) {
                case SENSOR_START -> start(SensorStart.parseFrom(body));
                case BATCH -> batch(body);
                case SKIP -> skip(Skip.read(body).orElseThrow());
                case PING -> {
                    var echo = new byte[body.remaining()];
                    body.get(echo);
                    out.add(new Out(FrameType.PONG, echo));
                }
                case MESSAGE_ACK ->
                    answeredMessages.add("+" + MessageAck.parseFrom(body).getMsgId());
                case MESSAGE_NACK ->
                    answeredMessages.add("-" + MessageNack.parseFrom(body).getMsgId());
                case STATS, PONG -> {}
                default -> sensor.breaches.add("a frame that a sensor may not send: " + type);
            }
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    private void start(SensorStart start) {
        Optional<Reject> refused = faults.start(start);
        if (refused.isPresent()) {
            end(refused.get());
            return;
        }
        sensor = clouds.apply(start);
        CloudSensor.Grant grant = sensor.start(start);
        session = grant.sessionId();
        epoch = grant.epoch();
        send(
                FrameType.ACCEPT,
                Accept.newBuilder()
                        .setEpoch((int) grant.epoch())
                        .setWatermark(grant.watermark())
                        .setSessionId(session)
                        .setMaxFrameBytes(limits.maxFrameBytes())
                        .setMaxBatchEvents(limits.maxBatchEvents())
                        .setMaxEventBytes(limits.maxEventBytes())
                        .setMaxBatchBytes(limits.maxBatchBytes())
                        .setKeepaliveMs(60_000)
                        .setVerdict(grant.verdict())
                        .setPresentedEpochWatermark(grant.presentedEpochWatermark())
                        .setMaxUnackedEvents(limits.maxUnackedEvents())
                        .build());
    }

    private void batch(ByteBuffer body) {
        batches++;
        int bytes = body.remaining() + 1;
        BatchHeader header = BatchHeader.read(body).orElseThrow();
        check(bytes <= limits.maxFrameBytes(), "frame of " + bytes + " bytes");
        check(header.epoch() == epoch, "epoch " + header.epoch() + " in a session of " + epoch);
        check(!header.hasUnknownFlags(), "unknown flags");
        check(header.count() >= 1 && header.count() <= limits.maxBatchEvents(), header.count() + " events");
        check(header.rawLength() <= limits.maxBatchBytes(), header.rawLength() + " bytes raw");
        var block = new byte[body.remaining()];
        body.get(block);
        var crc = new CRC32C();
        crc.update(block);
        check((int) crc.getValue() == header.crc32c(), "checksum");
        var seqs = new ArrayList<Long>();
        var contents = new ArrayList<Long>();
        try (var decoder = new BlockDecoder()) {
            var decoded = decoder.decode(header.codec(), ByteBuffer.wrap(block), (int) header.rawLength());
            if (!(decoded instanceof BlockDecoder.Result.Decoded whole)) {
                check(false, "block: " + decoded);
                return;
            }
            var events = new EventCursor(whole.block(), header.count());
            while (events.next()) {
                seqs.add(events.seq());
                check(events.seq() > 0, "seq " + events.seq());
                check(events.eventType() > 1, "event type " + events.eventType());
                contents.add(content(events));
            }
            check(events.isComplete(), "block is torn");
        }
        if (draining) {
            refuse(header, RejectCode.DRAINING);
            return;
        }
        Optional<Reject> refused = faults.batch(header, contents);
        if (refused.isPresent()) {
            send(
                    FrameType.REJECT,
                    refused.get().toBuilder().setBatchId(header.batchId()).build());
            return;
        }
        if (rangesWith(seqs) > limits.maxAckRanges()) {
            refuse(header, RejectCode.ACK_WINDOW_EXCEEDED);
            return;
        }
        admitted.add(seqs);
        pending.add(new Pending(() -> {
            for (int i = 0; i < seqs.size(); i++) {
                sensor.appended(session, seqs.get(i), contents.get(i), header.isRenumbered());
            }
            admitted.remove(seqs);
        }));
    }

    private final List<List<Long>> admitted = new ArrayList<>();

    private int rangesWith(List<Long> seqs) {
        var ranges = sensor.current().settled.copy();
        long watermark = sensor.current().watermark;
        for (List<Long> batch : admitted) {
            batch.stream().filter(seq -> seq > watermark).forEach(ranges::add);
        }
        ranges.drainContiguous(watermark);
        int before = ranges.size();
        seqs.stream().filter(seq -> seq > watermark).forEach(ranges::add);
        // What continues the watermark is no range above it.
        ranges.drainContiguous(watermark);
        return ranges.size() <= before ? 0 : ranges.size();
    }

    /** A number that is unique per event of these tests, and says what was sent. */
    public static long content(EventCursor event) {
        long content = event.eventType() * 31L + event.eventTsUs();
        ByteBuffer payload = event.payload();
        var crc = new CRC32C();
        crc.update(payload.duplicate());
        content = content * 31 + crc.getValue();
        return payload.remaining() >= 8 ? content * 31 + payload.getLong(0) : content;
    }

    private void refuse(BatchHeader header, RejectCode code) {
        send(
                FrameType.REJECT,
                Reject.newBuilder().setCode(code).setBatchId(header.batchId()).build());
    }

    private void skip(Skip skip) {
        check(skip.epoch() == epoch && skip.isWellFormed(), "a malformed SKIP: " + skip);
        if (!draining) {
            pending.add(new Pending(() -> sensor.skipped(session, skip.fromSeq(), skip.toSeq(), skip.reason())));
        }
    }

    public int pending() {
        return pending.size();
    }

    /** The log confirms a record; they are durable in any order. */
    public void confirm(int which) {
        pending.remove(which).durable().run();
    }

    public void ack(int throttleMs) {
        var body = ByteBuffer.allocate(Ack.BYTES);
        new Ack(epoch, sensor.current().watermark, throttleMs).write(body);
        out.add(new Out(FrameType.ACK, body.array()));
    }

    public void drain(int jitterMs) {
        draining = true;
        var body = ByteBuffer.allocate(Drain.BYTES);
        new Drain(5_000, jitterMs).write(body);
        out.add(new Out(FrameType.DRAIN, body.array()));
    }

    public void send(FrameType type, AbstractMessage message) {
        out.add(new Out(type, message.toByteArray()));
    }

    public void end(Reject reject) {
        send(FrameType.REJECT, reject);
        closed = true;
    }

    public boolean isOpen() {
        return sensor != null && !closed;
    }

    private void check(boolean holds, String otherwise) {
        if (!holds) {
            sensor.breaches.add(otherwise);
        }
    }
}
