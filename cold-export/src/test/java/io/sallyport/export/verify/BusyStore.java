package io.sallyport.export.verify;

import io.sallyport.export.store.ObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A store in which something happens once, just before the first file of rows is fetched. */
final class BusyStore implements ObjectStore {
    private final ObjectStore store;
    private final Happening happening;
    private boolean happened;

    interface Happening {
        void happen() throws Exception;
    }

    BusyStore(ObjectStore store, Happening happening) {
        this.store = store;
        this.happening = happening;
    }

    boolean happened() {
        return happened;
    }

    @Override
    public boolean download(String key, Path to) throws IOException {
        if (!happened) {
            happened = true;
            try {
                happening.happen();
            } catch (Exception e) {
                throw new IOException(e);
            }
        }
        return store.download(key, to);
    }

    @Override
    public boolean create(String key, byte[] content) throws IOException {
        return store.create(key, content);
    }

    @Override
    public boolean create(String key, Path content) throws IOException {
        return store.create(key, content);
    }

    @Override
    public Optional<byte[]> read(String key) throws IOException {
        return store.read(key);
    }

    @Override
    public List<String> list(String prefix, String after) throws IOException {
        return store.list(prefix, after);
    }

    @Override
    public void delete(String key) throws IOException {
        store.delete(key);
    }

    @Override
    public void close() {
        store.close();
    }
}
