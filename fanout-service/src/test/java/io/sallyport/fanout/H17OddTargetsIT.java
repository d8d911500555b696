package io.sallyport.fanout;

import static io.sallyport.fanout.ApiCases.json;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ids that are empty, long, binary or a pattern: none is a target, and none is taken for another's. */
@ExtendWith(SharedFanout.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class H17OddTargetsIT {
    private final RunningFanout fanout;
    private final CommandLog log;
    private final String acme;

    H17OddTargetsIT(RunningFanout fanout, CommandLog log) {
        this.fanout = fanout;
        this.log = log;
        this.acme = fanout.tokens.all("acme");
    }

    @BeforeAll
    void sensors() {
        log.fleet("acme", "s-", 3, "h17");
        fanout.awaitSensors(acme, "tag.suite = h17", 3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "s\\u0000x", "\\ud800", "#", "+", "*", "s-*", "s-?", "s-1/..", "s-1 ", " s-1", "S_1\\n", "😀"
            })
    void shouldTakeNoSuchIdForATarget(String id) {
        String target = "{'target':{'sensor_id':'" + id + "'}}";
        fanout.post(acme, "/v1/messages:preview", json(target)).refused(400, "BAD_SENSOR_ID");
        fanout.post(
                        acme,
                        "/v1/messages",
                        json("{'msg_id':'h17','type':'CONFIG_UPDATE','payload':'','target':{'sensor_id':'" + id
                                + "'}}"))
                .refused(400, "BAD_SENSOR_ID");
        fanout.send(acme, "PUT", "/v1/segments/h17", json("{'sensor_ids':['s-1','" + id + "']}"))
                .refused(400, "BAD_SENSOR_ID");
        assertThat(CommandLog.entries("acme", "h17")).isEmpty();
    }

    @Test
    void shouldCountTheLimitInBytesAndExactly() {
        String longest = "s".repeat(64);
        fanout.send(acme, "PUT", "/v1/sensors/" + longest, null).ok();
        fanout.awaitSensors(acme, "not has(hostname) and not has(os.family)", registered());
        fanout.send(acme, "PUT", "/v1/sensors/" + longest + "s", null).refused(400, "BAD_SENSOR_ID");
        fanout.send(acme, "PUT", "/v1/sensors/" + URLEncoder.encode("é".repeat(33), StandardCharsets.UTF_8), null)
                .refused(400, "BAD_SENSOR_ID");
        // Bytes that are no UTF-8.
        fanout.send(acme, "PUT", "/v1/sensors/%C3%28", null).refused(400, "MALFORMED_REQUEST");
        String msgId = "m".repeat(128);
        String publish = "{'msg_id':'%s','type':'CONFIG_UPDATE','payload':'','target':{'sensor_id':'s-1'}}";
        fanout.post(acme, "/v1/messages", json(publish.formatted(msgId))).ok();
        fanout.post(acme, "/v1/messages", json(publish.formatted(msgId + "m"))).refused(400, "BAD_MSG_ID");
        assertThat(fanout.get(acme, "/v1/messages/" + msgId).ok().number("resolved"))
                .isEqualTo(1);
        assertThat(CommandLog.entries("acme", msgId)).hasSize(1);
    }

    @Test
    void shouldCompareValuesAsTheyAreAndNotAsPatterns() {
        for (String pattern : new String[] {"host-*", "host-.", "host-%", ".*", "HOST-1"}) {
            fanout.awaitSensors(acme, "tag.suite = h17 and hostname = '" + pattern + "'", 0);
        }
        fanout.awaitSensors(acme, "tag.suite = h17 and hostname = 'host-1'", 1);
    }

    private int registered() {
        return (int) fanout.get(
                        acme,
                        "/v1/sensors?selector="
                                + URLEncoder.encode("not has(hostname) and not has(os.family)", StandardCharsets.UTF_8))
                .number("count");
    }
}
