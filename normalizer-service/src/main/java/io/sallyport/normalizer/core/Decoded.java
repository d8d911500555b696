package io.sallyport.normalizer.core;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.link.Skip;
import io.sallyport.envelope.watermark.SeqRange;
import io.sallyport.proto.log.v1.EpochOpen;
import io.sallyport.proto.log.v1.Stamp;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** What a raw record says. Whatever cannot be read is a value too, never an exception. */
public sealed interface Decoded {

    /** {@code block} was walked: it holds {@code header.count()} events with seqs in range. Valid until the next decode. */
    record Batch(SensorKey sensor, Stamp stamp, BatchHeader header, ByteBuffer block) implements Decoded {}

    record SkipRange(SensorKey sensor, Stamp stamp, Skip skip) implements Decoded {}

    record Opening(SensorKey sensor, Stamp stamp, EpochOpen open) implements Decoded {}

    /**
     * @param sensor whose record it is, as far as stamp or key tell
     * @param epoch 0 where unknown
     * @param seqs seqs of the block that could still be read, its checksum being right; mostly none
     * @param detail what is wrong; none of it comes from the sensor
     */
    record Undecodable(Optional<SensorKey> sensor, long epoch, List<SeqRange> seqs, String detail) implements Decoded {}
}
