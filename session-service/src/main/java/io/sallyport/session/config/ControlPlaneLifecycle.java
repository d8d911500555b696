package io.sallyport.session.config;

import io.sallyport.session.kafka.ControlProducer;
import io.sallyport.session.kafka.KafkaCommandLink;
import io.sallyport.session.kafka.KafkaControlData;
import io.sallyport.session.kafka.KafkaEpochAuthority;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the node's Kafka clients before its listeners, and stops them after: a session that ends in a drain still
 * reports, and the producer goes last.
 */
public final class ControlPlaneLifecycle implements SmartLifecycle {
    /** Above the authority's, below the listeners'. */
    public static final int PHASE = AuthorityLifecycle.PHASE + 100;

    private final ControlProducer producer;
    private final KafkaControlData data;
    private final KafkaEpochAuthority authority;
    private final KafkaCommandLink commands;
    private volatile boolean running;

    ControlPlaneLifecycle(
            ControlProducer producer, KafkaControlData data, KafkaEpochAuthority authority, KafkaCommandLink commands) {
        this.producer = producer;
        this.data = data;
        this.authority = authority;
        this.commands = commands;
    }

    @Override
    public void start() {
        producer.start();
        data.start();
        authority.start();
        commands.start();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        commands.close();
        authority.close();
        data.close();
        producer.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
