package io.sallyport.session.auth;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Keys of TLS session tickets in a file that all nodes share: one key of 48 bytes a line in base64, the newest first. To
 * rotate, write a new first line and drop the last; tickets sealed with a dropped key are worth nothing any more.
 */
public final class TicketKeyFile {
    private static final int KEY_BYTES = 48;
    private static final int MAX_KEYS = 16;

    private final ReloadedFile<List<byte[]>> keys;

    /** @throws IllegalArgumentException where the file cannot be used */
    public TicketKeyFile(Path file) {
        this.keys = new ReloadedFile<>(file, TicketKeyFile::parse);
    }

    /** The newest first; the same list until the file changes. */
    public List<byte[]> current(long nowMs) {
        return keys.get(nowMs);
    }

    private static List<byte[]> parse(byte[] bytes) {
        var found = new ArrayList<byte[]>();
        for (String line : new String(bytes, StandardCharsets.US_ASCII).lines().toList()) {
            if (line.isBlank()) {
                continue;
            }
            byte[] key = decode(line.strip());
            if (key.length != KEY_BYTES) {
                throw new IllegalArgumentException("a ticket key has " + KEY_BYTES + " bytes, not " + key.length);
            }
            found.add(key);
        }
        if (found.isEmpty() || found.size() > MAX_KEYS) {
            throw new IllegalArgumentException("1 to " + MAX_KEYS + " ticket keys, not " + found.size());
        }
        return List.copyOf(found);
    }

    private static byte[] decode(String line) {
        try {
            return Base64.getDecoder().decode(line);
        } catch (IllegalArgumentException e) {
            // The decoder's own message would repeat part of a key.
            throw new IllegalArgumentException("a ticket key is not base64");
        }
    }
}
