package io.sallyport.export.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every store does. */
public abstract class StoreContract {
    @TempDir
    protected Path folder;

    /** The store, with nothing in it. */
    protected abstract ObjectStore store() throws IOException;

    private static byte[] bytes(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }

    @Test
    void shouldCreateAnObjectOnce() throws IOException {
        ObjectStore store = store();
        assertThat(store.create("a/b", bytes("one"))).isTrue();
        assertThat(store.create("a/b", bytes("two"))).isFalse();
        Path file = Files.writeString(folder.resolve("three"), "three");
        assertThat(store.create("a/b", file)).isFalse();
        assertThat(store.create("a/c", file)).isTrue();
        assertThat(store.read("a/b"))
                .hasValueSatisfying(content -> assertThat(content).isEqualTo(bytes("one")));
        assertThat(store.read("a/c"))
                .hasValueSatisfying(content -> assertThat(content).isEqualTo(bytes("three")));
        assertThat(store.read("a/d")).isEmpty();
        assertThat(file).hasContent("three");
    }

    @Test
    void shouldLetOneOfManyCreateAnObject() throws Exception {
        ObjectStore store = store();
        var pool = Executors.newFixedThreadPool(8);
        try {
            var attempts = IntStream.range(0, 8)
                    .<Callable<Integer>>mapToObj(i -> () -> store.create("x/y", bytes("by " + i)) ? i : -1)
                    .toList();
            var winners = new ArrayList<Integer>();
            for (var attempt : pool.invokeAll(attempts)) {
                if (attempt.get() >= 0) {
                    winners.add(attempt.get());
                }
            }
            assertThat(winners).hasSize(1);
            assertThat(store.read("x/y"))
                    .hasValueSatisfying(content -> assertThat(content).isEqualTo(bytes("by " + winners.get(0))));
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void shouldListInOrderAndOnlyBelowTheFolder() throws IOException {
        ObjectStore store = store();
        for (String key : new String[] {"m/s=2/1", "m/s=1/3", "m/s=1/10", "m/s=11/1", "n/1", "m/s=1/a%2Fb"}) {
            store.create(key, bytes(key));
        }
        assertThat(store.list("m/s=1/", "")).containsExactly("m/s=1/10", "m/s=1/3", "m/s=1/a%2Fb");
        assertThat(store.list("m/s=1/", "m/s=1/10")).containsExactly("m/s=1/3", "m/s=1/a%2Fb");
        assertThat(store.list("m/", "")).hasSize(5);
        assertThat(store.list("none/", "")).isEmpty();
        assertThat(store.read("m/s=1/a%2Fb"))
                .hasValueSatisfying(content -> assertThat(content).isEqualTo(bytes("m/s=1/a%2Fb")));
    }

    @Test
    void shouldDownloadAndDelete() throws IOException {
        ObjectStore store = store();
        var large = new byte[3 << 20];
        Arrays.fill(large, (byte) 7);
        store.create("l/1", Files.write(folder.resolve("large"), large));
        Path to = folder.resolve("copy");
        Files.writeString(to, "something older");
        assertThat(store.download("l/1", to)).isTrue();
        assertThat(to).hasBinaryContent(large);
        assertThat(store.download("l/2", to)).isFalse();
        store.delete("l/1");
        store.delete("l/1");
        assertThat(store.read("l/1")).isEmpty();
        assertThat(store.list("l/", "")).isEmpty();
        assertThat(store.create("l/1", bytes("again"))).isTrue();
    }
}
