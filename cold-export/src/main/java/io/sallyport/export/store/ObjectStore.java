package io.sallyport.export.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Objects by key, as a bucket has them. An object is never changed: it is created whole, once, or not at all, and of many
 * that create one key exactly one succeeds. Keys are relative paths with slashes.
 *
 * <p>Every method throws {@link IOException} where the store could not be reached; a create may then have happened.
 */
public interface ObjectStore extends AutoCloseable {
    /** @return false where the key exists, whatever it holds */
    boolean create(String key, byte[] content) throws IOException;

    /** @return false where the key exists, whatever it holds */
    boolean create(String key, Path content) throws IOException;

    /** An object that fits into memory; empty where there is none. */
    Optional<byte[]> read(String key) throws IOException;

    /** @return false where there is no such object */
    boolean download(String key, Path to) throws IOException;

    /**
     * Keys that begin with {@code prefix}, in order.
     *
     * @param prefix ends with a slash
     * @param after only keys behind it; may be empty
     */
    List<String> list(String prefix, String after) throws IOException;

    /** Deletes an object; nothing happens where there is none. */
    void delete(String key) throws IOException;

    @Override
    void close();
}
