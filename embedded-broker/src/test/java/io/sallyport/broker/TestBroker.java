package io.sallyport.broker;

import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.topics.ControlSeeds;
import io.sallyport.topics.TopicAdmin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.kafka.KafkaContainer;

/**
 * The one broker of a test JVM, with every topic of the catalogue and the customers {@code acme} and {@code globex}: a
 * container where Docker runs, the embedded broker otherwise. Tests keep out of each other's way by using sensors of
 * their own.
 */
public final class TestBroker {
    private final String bootstrapServers;

    private TestBroker(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
    }

    /** Started at the first call; stopped with the JVM. */
    public static TestBroker shared() {
        return Holder.SHARED;
    }

    public String bootstrapServers() {
        return bootstrapServers;
    }

    private static TestBroker start() {
        String bootstrap = DockerClientFactory.instance().isDockerAvailable() ? container() : embedded();
        try (var topics = new TopicAdmin(bootstrap, TopicSizing.LOCAL);
                var seeds = new ControlSeeds(bootstrap)) {
            topics.create();
            seeds.seedCell(TopicSizing.LOCAL.shardsMax());
            seeds.put(Customer.newBuilder().setCustomerId("acme").build());
            seeds.put(Customer.newBuilder().setCustomerId("globex").build());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return new TestBroker(bootstrap);
    }

    private static String container() {
        var kafka = new KafkaContainer("apache/kafka:4.1.0").withEnv("KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS", "1000");
        kafka.start();
        return kafka.getBootstrapServers();
    }

    private static String embedded() {
        try {
            Path dir = Files.createTempDirectory("sallyport-test-broker");
            KraftBroker broker = KraftBroker.start(dir, 0);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                broker.close();
                delete(dir);
            }));
            return broker.bootstrapServers();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path dir) {
        try (var files = Files.walk(dir)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Holder {
        static final TestBroker SHARED = start();
    }
}
