package io.sallyport.normalizer.core;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One sensor's stored state in memory; values are copied, as a real store would. */
final class MemoryStore implements SensorStore {
    private final Map<String, byte[]> values = new HashMap<>();

    @Override
    public byte @Nullable [] head() {
        return get("head");
    }

    @Override
    public void putHead(byte[] head) {
        values.put("head", head.clone());
    }

    @Override
    public byte @Nullable [] epoch(long epoch) {
        return get("epoch " + epoch);
    }

    @Override
    public void putEpoch(long epoch, byte[] state) {
        values.put("epoch " + epoch, state.clone());
    }

    @Override
    public void deleteEpoch(long epoch) {
        values.remove("epoch " + epoch);
    }

    @Override
    public byte @Nullable [] chunk(long epoch, long index) {
        return get("chunk " + epoch + " " + index);
    }

    @Override
    public void putChunk(long epoch, long index, byte[] chunk) {
        values.put("chunk " + epoch + " " + index, chunk.clone());
    }

    @Override
    public void deleteChunk(long epoch, long index) {
        values.remove("chunk " + epoch + " " + index);
    }

    long chunks() {
        return values.keySet().stream().filter(key -> key.startsWith("chunk")).count();
    }

    long epochs() {
        return values.keySet().stream().filter(key -> key.startsWith("epoch")).count();
    }

    long largestValue() {
        return values.values().stream().mapToLong(value -> value.length).max().orElse(0);
    }

    private byte @Nullable [] get(String key) {
        byte[] value = values.get(key);
        return value == null ? null : value.clone();
    }
}
