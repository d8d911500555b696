package io.sallyport.normalizer.core;

import org.jspecify.annotations.Nullable;

/** What is stored of one sensor. Reads happen during a decision, writes only at its end. */
public interface SensorStore {
    byte @Nullable [] head();

    void putHead(byte[] head);

    byte @Nullable [] epoch(long epoch);

    void putEpoch(long epoch, byte[] state);

    void deleteEpoch(long epoch);

    byte @Nullable [] chunk(long epoch, long index);

    void putChunk(long epoch, long index, byte[] chunk);

    void deleteChunk(long epoch, long index);
}
