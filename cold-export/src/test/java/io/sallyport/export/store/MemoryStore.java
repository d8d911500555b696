package io.sallyport.export.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/** Objects in memory, by the rules of {@link ObjectStore}; StoreContract says so. */
public final class MemoryStore implements ObjectStore {
    private final ConcurrentSkipListMap<String, byte[]> objects = new ConcurrentSkipListMap<>();

    @Override
    public boolean create(String key, byte[] content) {
        return objects.putIfAbsent(key, content.clone()) == null;
    }

    @Override
    public boolean create(String key, Path content) throws IOException {
        return objects.putIfAbsent(key, Files.readAllBytes(content)) == null;
    }

    @Override
    public Optional<byte[]> read(String key) {
        return Optional.ofNullable(objects.get(key)).map(byte[]::clone);
    }

    @Override
    public boolean download(String key, Path to) throws IOException {
        byte[] content = objects.get(key);
        if (content == null) {
            return false;
        }
        Files.write(to, content);
        return true;
    }

    @Override
    public List<String> list(String prefix, String after) {
        return objects.tailMap(prefix, true).keySet().stream()
                .takeWhile(key -> key.startsWith(prefix))
                .filter(key -> key.compareTo(after) > 0)
                .toList();
    }

    @Override
    public void delete(String key) {
        objects.remove(key);
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
