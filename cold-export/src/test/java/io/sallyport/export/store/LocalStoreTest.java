package io.sallyport.export.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalStoreTest extends StoreContract {
    @Override
    protected ObjectStore store() throws IOException {
        return new LocalStore(folder.resolve("root"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"../x", "a/../../x", "", "/etc/x", ".unfinished/x", "."})
    void shouldRefuseAKeyThatLeavesTheFolder(String key) throws IOException {
        ObjectStore store = store();
        assertThatThrownBy(() -> store.create(key, new byte[1])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store.read(key)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldRemoveWhatADeadWriterLeftLongAgo() throws IOException {
        var unfinished = folder.resolve("root/.unfinished");
        Files.createDirectories(unfinished);
        Files.writeString(unfinished.resolve("new"), "x");
        Files.writeString(unfinished.resolve("old"), "x");
        Files.setLastModifiedTime(
                unfinished.resolve("old"), FileTime.from(Instant.now().minusSeconds(200_000)));
        store();
        assertThat(unfinished.resolve("old")).doesNotExist();
        assertThat(unfinished.resolve("new")).exists();
    }

    @Test
    void shouldLeaveNoEmptyPartitionBehind() throws IOException {
        ObjectStore store = store();
        store.create("structured/customer=a/date=2026-01-01/x", new byte[1]);
        store.create("structured/customer=b/date=2026-01-01/x", new byte[1]);
        store.delete("structured/customer=a/date=2026-01-01/x");
        assertThat(folder.resolve("root/structured/customer=a")).doesNotExist();
        assertThat(folder.resolve("root/structured/customer=b")).exists();
    }

    /** The store of the other tests keeps the same rules. */
    @Nested
    class InMemory extends StoreContract {
        @Override
        protected ObjectStore store() {
            return new MemoryStore();
        }
    }
}
