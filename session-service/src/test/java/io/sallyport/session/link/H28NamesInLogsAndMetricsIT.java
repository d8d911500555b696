package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.core.instrument.Meter;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.link.v1.MessageNack;
import io.sallyport.proto.link.v1.RejectCode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.logging.logback.StructuredLogEncoder;
import org.springframework.core.env.StandardEnvironment;
import tools.jackson.databind.json.JsonMapper;

/** H28: what sensors call themselves forges no line of the log, is looked up by nobody, and is no label. */
class H28NamesInLogsAndMetricsIT {
    private static final List<String> NAMES = List.of(
            "s-1\r\n2031-01-01 INFO ACCEPT cust-b/s-9", "${jndi:ldap://127.0.0.1:9/x}", "\u001b[2J", "a\u2028b\u0085c");
    /** Labels whose values are constants of the program, or customers, of which a cell has about a hundred. */
    private static final Set<String> BOUNDED =
            Set.of("code", "kind", "customer", "partition", "topic", "outcome", "le");

    private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        lines.start();
        root.addAppender(lines);
        ((Logger) LoggerFactory.getLogger("io.sallyport")).setLevel(Level.DEBUG);
    }

    @AfterEach
    void stop() {
        ((Logger) LoggerFactory.getLogger("io.sallyport")).setLevel(null);
        root.detachAppender(lines);
    }

    private List<ILoggingEvent> ours() {
        return List.copyOf(lines.list).stream()
                .filter(line -> line.getLoggerName().startsWith("io.sallyport"))
                .toList();
    }

    @Test
    void shouldWriteOneHarmlessLineForEachEvent() throws Exception {
        try (TestGateway gateway = TestGateway.start()) {
            for (String name : NAMES) {
                int before = ours().size();
                try (SensorSocket sensor = gateway.connect()) {
                    sensor.send(
                            FrameType.SENSOR_START,
                            Wire.start("acme", name)
                                    .setToken(TestPki.shared().token("acme", name))
                                    .build());
                    assertThat(sensor.readReject().getCode()).isEqualTo(RejectCode.BAD_IDENTITY);
                }
                Awaitility.await()
                        .until(() -> ours().stream()
                                .skip(before)
                                .anyMatch(line -> line.getFormattedMessage().startsWith("BAD_IDENTITY")));
                assertThat(ours().stream()
                                .skip(before)
                                .filter(line -> line.getFormattedMessage().startsWith("BAD_IDENTITY")))
                        .hasSize(1);
            }
            // In a field that is free text, and in an answer that is logged with the sensor's own words.
            try (SensorSocket sensor = gateway.connect()) {
                sensor.start(Wire.start("acme", "h28-host")
                        .setToken(TestPki.shared().token("acme", "h28-host"))
                        .setHost(HostMetadata.newBuilder().setHostname(NAMES.get(0)))
                        .build());
                for (String name : NAMES) {
                    sensor.send(
                            FrameType.MESSAGE_NACK,
                            MessageNack.newBuilder()
                                    .setMsgId(name)
                                    .setDetail(name)
                                    .build());
                }
                sensor.send(FrameType.STATS, stats(1, 1L << 40));
                Awaitility.await().until(() -> gateway.counted("sallyport.alerts", "kind", "SPOOL_DEEP") == 1);
            }
        }
        assertThat(ours()).isNotEmpty().allSatisfy(line -> {
            assertThat(line.getFormattedMessage()).matches("[ -~]*").doesNotContain("${");
            if (line.getThrowableProxy() != null) {
                assertThat(line.getThrowableProxy().getMessage()).doesNotContain("2031-01-01");
            }
        });
    }

    /** Whatever slips through the escaping: as JSON it stays within its line and its field. */
    @Test
    void shouldStayInOneFieldOfTheStructuredFormats() {
        for (String format : List.of("ecs", "logstash")) {
            var encoder = new StructuredLogEncoder();
            var context = new LoggerContext();
            context.putObject(org.springframework.core.env.Environment.class.getName(), new StandardEnvironment());
            context.setMDCAdapter(new LogbackMDCAdapter());
            encoder.setContext(context);
            encoder.setFormat(format);
            encoder.start();
            for (String name : NAMES) {
                var event = new ch.qos.logback.classic.spi.LoggingEvent(
                        "x", context.getLogger("x"), Level.INFO, "said " + name, new IllegalStateException(name), null);
                String line = new String(encoder.encode(event), StandardCharsets.UTF_8);
                assertThat(line).endsWith("\n");
                assertThat(line.strip().chars()).as(line).noneMatch(c -> c < ' ');
                assertThat(JsonMapper.builder()
                                .build()
                                .readTree(line)
                                .get("message")
                                .asString())
                        .isEqualTo("said " + name);
            }
        }
    }

    /**
     * The case's 50,000 sensors over time, scaled down to 60 at sockets: a label that grows with sensors would show with
     * far fewer, and here the page may not grow at all.
     */
    @Test
    void shouldNotGrowTheMetricsWithSensors() throws Exception {
        try (TestGateway gateway = TestGateway.start()) {
            everythingThatASensorCanDo(gateway, "h28-first");
            Map<String, Integer> before = series(gateway);
            for (int i = 0; i < 60; i++) {
                everythingThatASensorCanDo(gateway, "h28-" + i);
            }
            assertThat(series(gateway)).isEqualTo(before);
            for (Meter meter : gateway.meters.getMeters()) {
                meter.getId().getTags().forEach(tag -> {
                    assertThat(tag.getValue()).as(meter.getId().toString()).doesNotContain("h28-");
                    assertThat(BOUNDED).as(meter.getId().toString()).contains(tag.getKey());
                });
            }
        }
    }

    private static void everythingThatASensorCanDo(TestGateway gateway, String name) throws Exception {
        try (SensorSocket sensor = gateway.session(name)) {
            sensor.send(FrameType.STATS, stats(5, 1L << 40));
            sensor.send(
                    FrameType.MESSAGE_NACK,
                    MessageNack.newBuilder().setMsgId(name).build());
            sensor.send(FrameType.BATCH, Wire.batch(1, 1, 1, 5, 10));
            sensor.readAckUpTo(5);
            sensor.send(FrameType.SKIP, Wire.skip(1, 6, 7, 1));
            sensor.readAckUpTo(7);
            sensor.send(FrameType.BATCH, Wire.batch(9, 1, 1, 5, 10));
            assertThat(sensor.readReject().getCode()).isEqualTo(RejectCode.STALE_EPOCH);
        }
        try (SensorSocket sensor = gateway.connect()) {
            sensor.send(FrameType.SENSOR_START, Wire.start("acme-" + name, name).build());
            assertThat(sensor.readReject().getCode()).isEqualTo(RejectCode.UNAUTHENTICATED);
        }
    }

    private static Map<String, Integer> series(TestGateway gateway) {
        List<Meter> meters = new ArrayList<>(gateway.meters.getMeters());
        return meters.stream()
                .collect(Collectors.toMap(meter -> meter.getId().getName(), meter -> 1, Integer::sum, TreeMap::new));
    }

    private static byte[] stats(long events, long bytes) {
        return ByteBuffer.allocate(16).putLong(events).putLong(bytes).array();
    }
}
