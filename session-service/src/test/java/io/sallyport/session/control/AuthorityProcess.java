package io.sallyport.session.control;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.session.streams.EpochAuthorityStreams;
import io.sallyport.session.streams.EpochMeters;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The epoch authority in a JVM of its own, so that it can be killed as the system would kill it. */
final class AuthorityProcess implements AutoCloseable {
    private final Process process;

    private AuthorityProcess(Process process) {
        this.process = process;
    }

    static AuthorityProcess start(String bootstrapServers, Path stateDir) throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        return new AuthorityProcess(new ProcessBuilder(
                        java.toString(),
                        "-Xmx256m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        AuthorityProcess.class.getName(),
                        bootstrapServers,
                        stateDir.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start());
    }

    /** No flush, no commit, no farewell to the group. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the authority's process does not die");
        }
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }

    public static void main(String[] args) throws InterruptedException {
        var settings = EpochAuthorityStreams.member(args[0], 0, Path.of(args[1]), "", TopicSizing.LOCAL);
        EpochAuthorityStreams.of(settings, new EpochMeters(new SimpleMeterRegistry()))
                .start();
        Thread.currentThread().join();
    }
}
