package io.sallyport.local.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.security.GeneralSecurityException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class PlainReasonTest {
    @Test
    void shouldSayWhatIsWrongWithAFile() {
        assertThat(PlainReason.of(new NoSuchFileException("/proc/x"))).isEqualTo("/proc/x: no such file or folder");
        assertThat(PlainReason.of(new UncheckedIOException(new AccessDeniedException("/root/x"))))
                .isEqualTo("/root/x: access is denied");
        assertThat(PlainReason.of(new FileSystemException("/x", null, "No space left on device")))
                .isEqualTo("/x: No space left on device");
        assertThat(PlainReason.of(new FileSystemException("/x"))).isEqualTo("/x: it cannot be used");
    }

    @Test
    void shouldSayWhichPeerDoesNotAnswer() {
        assertThat(PlainReason.of(new ConnectException())).isEqualTo("connection refused");
        assertThat(PlainReason.of(new ExecutionException(new TimeoutException("Timed out waiting for a node"))))
                .isEqualTo("Kafka: Timed out waiting for a node");
        assertThat(PlainReason.of(new KafkaException("Failed to construct", new IOException("bad address"))))
                .isEqualTo("Kafka: Failed to construct: bad address");
    }

    @Test
    void shouldKeepTheNamesOfClassesFromWhoeverReadsIt() {
        for (Throwable failure : new Throwable[] {
            new NullPointerException("Cannot invoke \"java.lang.String.length()\""),
            new ClassCastException("class a.B cannot be cast to class c.D"),
            new IllegalArgumentException(new java.io.EOFException("too short")),
            new IOException("java.util.concurrent.TimeoutException: request timed out"),
            new GeneralSecurityException("InvalidKeyException: no key"),
            new IllegalStateException((String) null)
        }) {
            assertThat(PlainReason.of(failure))
                    .isNotBlank()
                    .doesNotContain("Exception")
                    .doesNotContain("java.")
                    .doesNotContain("a.B");
        }
        assertThat(PlainReason.of(new IllegalArgumentException("no.jsonl line 1: no sensor")))
                .isEqualTo("no.jsonl line 1: no sensor");
        assertThat(PlainReason.of(new StackException("/data/SomeError: as it is")))
                .isEqualTo("/data/SomeError: as it is");
    }

    @Test
    void shouldFindTheReasonUnderWhatFrameworksWrapAroundIt() {
        var failure = new RuntimeException("bean", new RuntimeException("context", new IOException("port 1 is taken")));
        assertThat(PlainReason.ofRoot(failure)).isEqualTo("port 1 is taken");
    }
}
