package io.sallyport.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.log.v1.MessageBody;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PublishIT {
    private RunningFanout fanout;
    private CommandLog log;
    private String acme;

    @BeforeAll
    void start(@TempDir Path dir) throws Exception {
        log = new CommandLog();
        for (int i = 0; i < 3; i++) {
            log.sensor(
                    new SensorKey("acme", "pub-" + i),
                    100 + i,
                    HostMetadata.newBuilder().setOsVersion("4." + (8 + i)).build());
        }
        log.flush();
        fanout = RunningFanout.start(dir);
        acme = fanout.tokens.all("acme");
    }

    @AfterAll
    void stop() {
        fanout.close();
        log.close();
    }

    @Test
    void shouldWriteBodyPlanAndEntryBeforeItAnswers() throws Exception {
        var reply = fanout.post(acme, "/v1/messages", """
                {"msg_id":"p1","target":{"sensor_id":"pub-1"},"type":"CONFIG_UPDATE","payload":"aGVsbG8=","priority":3}
                """);
        assertThat(reply.status()).as(reply.toString()).isEqualTo(202);
        assertThat(reply.text("outcome")).isEqualTo("ACCEPTED");
        assertThat(reply.number("resolved")).isEqualTo(1);
        var entries = CommandLog.entries("acme", "p1");
        assertThat(entries).hasSize(1);
        assertThat(entries.get(0).getSensorId()).isEqualTo("pub-1");
        assertThat(entries.get(0).getPriority()).isEqualTo(3);
        assertThat(entries.get(0).getRevision()).isEqualTo(reply.number("revision"));
        var bodies = CommandLog.read(Topics.MESSAGE_BODIES).stream()
                .filter(record -> record.key().equals("acme/p1"))
                .toList();
        assertThat(bodies).hasSize(1);
        assertThat(MessageBody.parseFrom(bodies.get(0).value()).getPayload().toStringUtf8())
                .isEqualTo("hello");
    }
}
