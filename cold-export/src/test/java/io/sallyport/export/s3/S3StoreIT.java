package io.sallyport.export.s3;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.export.store.ObjectStore;
import io.sallyport.export.store.StoreContract;
import io.sallyport.export.work.TestExport;
import io.sallyport.export.work.TestShard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class S3StoreIT extends StoreContract {
    private static S3Server server;

    @BeforeAll
    static void start() throws Exception {
        server = new S3Server();
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @Override
    protected ObjectStore store() {
        return new S3Store(server.bucket());
    }

    @Test
    void shouldHoldAnExportThatASecondWorkerGoesOnWith() throws IOException {
        Path scratch = Files.createDirectories(folder.resolve("scratch"));
        var log = new TestShard(TestExport.SHARD);
        for (int i = 1; i <= 100; i++) {
            log.add(TestShard.event(i % 3 == 0 ? "globex" : "acme", "s-" + i % 5, i));
            if (i % 10 == 0) {
                log.close();
            }
        }
        try (var store = store()) {
            new TestExport(scratch).run(store, log, 30);
            log.add(TestShard.gap("acme", "s-1", 101, 103));
            log.close();
            new TestExport(scratch).run(store, log, 30);
            TestExport.assertComplete(store, log, scratch);
        }
    }

    @Test
    void shouldSayWhereItWasRefused() {
        S3Store.Location bucket = server.bucket();
        var wrong = new S3Store.Location(
                bucket.bucket(), bucket.prefix(), bucket.region(), bucket.endpoint(), "key", "wrong");
        try (var store = new S3Store(wrong)) {
            assertThatThrownBy(() -> store.create("a/b", new byte[1]))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("s3 a/b");
            assertThatThrownBy(() -> store.list("a/", "")).isInstanceOf(IOException.class);
        }
    }
}
