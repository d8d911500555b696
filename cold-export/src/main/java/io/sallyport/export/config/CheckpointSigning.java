package io.sallyport.export.config;

import io.sallyport.envelope.topic.Topics;
import io.sallyport.export.checkpoint.kafka.CheckpointCoordinator;
import io.sallyport.topics.TopicAdmin;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/** Starts the coordinator once its topics are there, and stops it. */
final class CheckpointSigning implements SmartLifecycle {
    private final ExportProperties properties;
    private final Supplier<CheckpointCoordinator> coordinators;
    private @Nullable CheckpointCoordinator coordinator;

    CheckpointSigning(ExportProperties properties, Supplier<CheckpointCoordinator> coordinators) {
        this.properties = properties;
        this.coordinators = coordinators;
    }

    @Override
    public void start() {
        try (var topics = new TopicAdmin(
                properties.bootstrapServers(), properties.sizing().topics())) {
            topics.check(List.of(Topics.PROOF_SEGMENTS, Topics.CHECKPOINTS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while checking the topics", e);
        }
        CheckpointCoordinator started = coordinators.get();
        started.start();
        coordinator = started;
    }

    @Override
    public void stop() {
        if (coordinator != null) {
            coordinator.close();
            coordinator = null;
        }
    }

    @Override
    public boolean isRunning() {
        return coordinator != null;
    }
}
