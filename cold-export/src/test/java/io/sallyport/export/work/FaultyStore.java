package io.sallyport.export.work;

import io.sallyport.export.store.ObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A store before each of whose writes, and after each, something may happen. */
class FaultyStore implements ObjectStore {
    private final ObjectStore store;
    private final Step step;
    private int steps;

    /** What happens at a step; an exception is a crash there. */
    interface Step {
        void at(int step) throws IOException;
    }

    /** A crash: whatever the worker had in memory is gone. */
    static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    FaultyStore(ObjectStore store, Step step) {
        this.store = store;
        this.step = step;
    }

    private void step() throws IOException {
        step.at(steps++);
    }

    @Override
    public boolean create(String key, byte[] content) throws IOException {
        step();
        boolean created = store.create(key, content);
        step();
        return created;
    }

    @Override
    public boolean create(String key, Path content) throws IOException {
        step();
        boolean created = store.create(key, content);
        step();
        return created;
    }

    @Override
    public Optional<byte[]> read(String key) throws IOException {
        return store.read(key);
    }

    @Override
    public boolean download(String key, Path to) throws IOException {
        return store.download(key, to);
    }

    @Override
    public List<String> list(String prefix, String after) throws IOException {
        return store.list(prefix, after);
    }

    @Override
    public void delete(String key) throws IOException {
        step();
        store.delete(key);
        step();
    }

    @Override
    public void close() {
        store.close();
    }
}
