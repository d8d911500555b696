package io.sallyport.normalizer.config;

import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.generation.RunningGenerations;
import io.sallyport.normalizer.kafka.EventTypeRegistry;
import io.sallyport.normalizer.kafka.RawLag;
import io.sallyport.topics.TopicAdmin;
import java.util.List;
import org.springframework.context.SmartLifecycle;

/** Starts the parts in their order, and stops them in reverse. */
final class NormalizerLifecycle implements SmartLifecycle {
    private final String bootstrapServers;
    private final TopicSizing sizing;
    private final EventTypeRegistry registry;
    private final RunningGenerations generations;
    private final RawLag lag;
    private volatile boolean running;

    NormalizerLifecycle(
            String bootstrapServers,
            TopicSizing sizing,
            EventTypeRegistry registry,
            RunningGenerations generations,
            RawLag lag) {
        this.bootstrapServers = bootstrapServers;
        this.sizing = sizing;
        this.registry = registry;
        this.generations = generations;
        this.lag = lag;
    }

    @Override
    public void start() {
        try {
            checkTopics();
            registry.start();
            generations.start();
            lag.start();
            running = true;
        } catch (RuntimeException e) {
            // What was made already holds threads and native memory, and nobody stops what never ran.
            stop();
            throw e;
        }
    }

    private void checkTopics() {
        try (var topics = new TopicAdmin(bootstrapServers, sizing)) {
            topics.check(List.of(
                    Topics.RAW,
                    Topics.STRUCTURED,
                    Topics.COVERAGE,
                    Topics.QUARANTINE,
                    Topics.EVENT_TYPES,
                    Topics.PROOF_SEGMENTS,
                    Topics.NORMALIZER_SNAPSHOTS,
                    Topics.GENERATIONS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while checking the topics", e);
        }
    }

    @Override
    public void stop() {
        lag.close();
        generations.close();
        registry.close();
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
