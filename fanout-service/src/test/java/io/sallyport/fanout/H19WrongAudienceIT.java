package io.sallyport.fanout;

import static io.sallyport.fanout.ApiCases.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sallyport.broker.TestBroker;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.StatusPartial;
import io.sallyport.topics.ControlSeeds;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A fleet of 1,000 and a threshold of 50: an action goes to as many as were meant, and can be stopped. */
@ExtendWith(SharedFanout.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class H19WrongAudienceIT {
    private static final String THRESHOLD = "--sallyport.fanout.limits.max-targets=50";
    private static final int HANDED_OVER = 120;

    private final CommandLog log;
    private final Tokens tokens = new Tokens();
    private final String token =
            tokens.token(new String[] {"h19"}, "commands:publish commands:read", claims -> claims.subject("carol"));

    H19WrongAudienceIT(CommandLog log, SharedFanout.Node shared) {
        shared.stop();
        this.log = log;
    }

    @BeforeAll
    void fleet() throws InterruptedException {
        try (var seeds = new ControlSeeds(TestBroker.shared().bootstrapServers())) {
            seeds.put(Customer.newBuilder().setCustomerId("h19").build());
        }
        for (int i = 0; i < 1_000; i++) {
            log.sensor(
                    new SensorKey("h19", "h19-" + i),
                    1,
                    HostMetadata.newBuilder()
                            .setOsFamily(i < 400 ? "windows" : "linux")
                            .setPolicyId(i < 40 ? "pilot" : "all")
                            .build());
        }
        log.flush();
    }

    @Test
    void shouldGoToAsManyAsWereMeantAndStopWhenAborted(@TempDir Path dir) throws Exception {
        var audit = new ListAppender<ILoggingEvent>();
        var auditLog = (Logger) LoggerFactory.getLogger("sallyport.audit");
        audit.start();
        try (var fanout = RunningFanout.start(dir, tokens, THRESHOLD)) {
            fanout.awaitSensors(token, "has(os.family)", 1_000);
            String pilots = preview(fanout, "policy = pilot", 40);
            publish(fanout, "a", "policy = pilot", ",'preview_token':'" + pilots + "'")
                    .ok();
            assertThat(CommandLog.entries("h19", "a")).hasSize(40);

            preview(fanout, "os.family = windows", 400);
            publish(fanout, "b", "os.family = windows", "").refused(422, "THRESHOLD");
            assertThat(CommandLog.entries("h19", "b")).isEmpty();

            // Only now: the start of a node sets up all logging anew.
            auditLog.setLevel(Level.INFO);
            auditLog.addAppender(audit);
            var sent = publish(fanout, "c", "os.family = windows", ",'max_targets':400")
                    .ok();
            assertThat(sent.number("resolved")).isEqualTo(400);
            assertThat(sent.number("jitter_window_ms")).isEqualTo(400);
            List<QueueEntry> entries = CommandLog.entries("h19", "c");
            assertThat(entries).hasSize(400);
            assertThat(entries.stream().map(QueueEntry::getDeliverAtUs).distinct())
                    .hasSizeGreaterThan(350);
            assertThat(entries)
                    .allSatisfy(entry -> assertThat(entry.getDeliverAtUs() - entry.getAcceptedAtUs())
                            .isBetween(0L, 400_000L));
            assertThat(audit.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .anySatisfy(line -> assertThat(line)
                            .contains(
                                    "publish",
                                    "who=carol",
                                    "customer=h19",
                                    "msg_id=c",
                                    "selector=\"os.family = windows\"",
                                    "count=400",
                                    "override=400",
                                    "ACCEPTED"));

            status(HANDED_OVER, 0);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> fanout.get(token, "/v1/messages/c").number("in_flight") == HANDED_OVER);
            fanout.post(token, "/v1/messages/c:cancel", null).ok();
        } finally {
            auditLog.detachAppender(audit);
        }
        try (var restarted = RunningFanout.start(dir, tokens, THRESHOLD)) {
            // The same request again, as a careful caller would send it after the restart, brings nothing back.
            assertThat(publish(restarted, "c", "os.family = windows", ",'max_targets':400")
                            .ok()
                            .text("outcome"))
                    .isEqualTo("SAME");
            await().atMost(Duration.ofSeconds(20)).until(() -> cancellations() >= 400);
            assertThat(cancellations()).isEqualTo(400);
            assertThat(CommandLog.entries("h19", "c")).hasSize(800);

            // What the router makes of 120 handed over and a cancellation of each.
            status(HANDED_OVER, 400 - HANDED_OVER);
            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                var report = restarted.get(token, "/v1/messages/c").ok();
                assertThat(report.body().get("cancel_requested").asBoolean()).isTrue();
                assertThat(report.number("in_flight") + report.number("acked") + report.number("cancelled"))
                        .isEqualTo(400);
                assertThat(report.number("planned")).isZero();
            });
        }
    }

    private static long cancellations() {
        return CommandLog.entries("h19", "c").stream()
                .filter(entry -> entry.getCancelRevision() != 0)
                .map(QueueEntry::getSensorId)
                .distinct()
                .count();
    }

    private void status(long inFlight, long cancelled) {
        log.counts(StatusPartial.newBuilder()
                .setCustomerId("h19")
                .setMsgId("c")
                .setInFlight(inFlight)
                .setCancelled(cancelled)
                .setPending(400 - inFlight - cancelled)
                .build());
        log.flush();
    }

    private String preview(RunningFanout fanout, String selector, int count) {
        var preview = fanout.post(token, "/v1/messages:preview", json("{'target':{'selector':'" + selector + "'}}"))
                .ok();
        assertThat(preview.number("count")).isEqualTo(count);
        return preview.text("preview_token");
    }

    private RunningFanout.Reply publish(RunningFanout fanout, String msgId, String selector, String more) {
        return fanout.post(
                token,
                "/v1/messages",
                json("{'msg_id':'" + msgId + "','target':{'selector':'" + selector
                        + "'},'type':'SENSOR_UPDATE','payload':'','coalesce_key':'v2'" + more + "}"));
    }
}
