package io.sallyport.broker;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;

/**
 * A single-node KRaft broker, broker and controller in one, on a folder that survives restarts and {@code kill -9}. Its
 * cluster id and controller port are chosen once and kept in the folder.
 */
public final class KraftBroker implements AutoCloseable {
    private static final String HOST = "127.0.0.1";

    private final KafkaRaftServer server;
    private final int port;

    private KraftBroker(KafkaRaftServer server, int port) {
        this.server = server;
        this.port = port;
    }

    /**
     * Starts a broker and returns when it takes connections.
     *
     * @param dir where it keeps everything; made where it does not exist
     * @param port of the client listener on 127.0.0.1; 0 takes one that is free
     */
    public static KraftBroker start(Path dir, int port) throws IOException {
        Files.createDirectories(dir);
        Path marker = dir.resolve("broker.properties");
        var kept = new Properties();
        if (Files.exists(marker)) {
            try (var in = Files.newBufferedReader(marker)) {
                kept.load(in);
            }
        }
        boolean fresh = kept.getProperty("cluster.id") == null;
        if (fresh) {
            kept.setProperty("cluster.id", Uuid.randomUuid().toString());
            kept.setProperty("controller.port", Integer.toString(freePort()));
        }
        int clientPort = port == 0 ? freePort() : port;
        var properties = properties(dir, clientPort, kept.getProperty("controller.port"));
        Path config = dir.resolve("server.properties");
        try (var out = Files.newBufferedWriter(config)) {
            properties.store(out, null);
        }
        if (fresh) {
            format(kept.getProperty("cluster.id"), config);
            // Written last: a folder whose format did not end is formatted again.
            try (var out = Files.newBufferedWriter(marker)) {
                kept.store(out, null);
            }
        }
        var server = new KafkaRaftServer(new KafkaConfig(properties), Time.SYSTEM);
        server.startup();
        return new KraftBroker(server, clientPort);
    }

    public String bootstrapServers() {
        return HOST + ":" + port;
    }

    /** Blocks until the broker has stopped. */
    public void awaitShutdown() {
        server.awaitShutdown();
    }

    @Override
    public void close() {
        server.shutdown();
        server.awaitShutdown();
    }

    private static Properties properties(Path dir, int port, String controllerPort) {
        var p = new Properties();
        p.setProperty("process.roles", "broker,controller");
        p.setProperty("node.id", "1");
        p.setProperty("controller.quorum.bootstrap.servers", HOST + ":" + controllerPort);
        p.setProperty("listeners", "PLAINTEXT://" + HOST + ":" + port + ",CONTROLLER://" + HOST + ":" + controllerPort);
        p.setProperty("advertised.listeners", "PLAINTEXT://" + HOST + ":" + port);
        p.setProperty("controller.listener.names", "CONTROLLER");
        p.setProperty("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        p.setProperty("log.dirs", dir.resolve("log").toString());
        p.setProperty("auto.create.topics.enable", "false");
        p.setProperty("offsets.topic.replication.factor", "1");
        p.setProperty("offsets.topic.num.partitions", "4");
        p.setProperty("transaction.state.log.replication.factor", "1");
        p.setProperty("transaction.state.log.min.isr", "1");
        p.setProperty("transaction.state.log.num.partitions", "4");
        p.setProperty("share.coordinator.state.topic.replication.factor", "1");
        p.setProperty("share.coordinator.state.topic.min.isr", "1");
        // A group of one machine has all its members at once: waiting for more only delays the start.
        p.setProperty("group.initial.rebalance.delay.ms", "0");
        // Tests that kill a member do not wait long for others to take its place.
        p.setProperty("group.min.session.timeout.ms", "1000");
        p.setProperty("log.cleaner.dedupe.buffer.size", Integer.toString(16 << 20));
        p.setProperty("socket.send.buffer.bytes", Integer.toString(1 << 20));
        p.setProperty("socket.receive.buffer.bytes", Integer.toString(1 << 20));
        return p;
    }

    private static void format(String clusterId, Path config) {
        var printed = new ByteArrayOutputStream();
        int exit = kafka.tools.StorageTool.execute(
                new String[] {"format", "--standalone", "--ignore-formatted", "-t", clusterId, "-c", config.toString()},
                new PrintStream(printed, true, StandardCharsets.UTF_8));
        if (exit != 0) {
            throw new IllegalStateException(
                    "cannot format the broker's folder: " + printed.toString(StandardCharsets.UTF_8));
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
            return socket.getLocalPort();
        }
    }
}
