package io.sallyport.fanout;

import static io.sallyport.fanout.ApiCases.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.log.v1.Customer;
import io.sallyport.topics.ControlSeeds;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A selector that is empty, missing or misspelt is never everything. */
@ExtendWith(SharedFanout.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class H18EmptySelectorIT {
    private final RunningFanout fanout;
    private final CommandLog log;
    private final String token;

    H18EmptySelectorIT(RunningFanout fanout, CommandLog log) {
        this.fanout = fanout;
        this.log = log;
        this.token = fanout.tokens.all("h18");
    }

    @BeforeAll
    void fleet() throws InterruptedException {
        try (var seeds =
                new ControlSeeds(io.sallyport.broker.TestBroker.shared().bootstrapServers())) {
            seeds.put(Customer.newBuilder().setCustomerId("h18").build());
        }
        log.fleet("h18", "h18-", 1_001, "h18");
        fanout.awaitSensors(token, "tag.suite = h18", 1_001);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'target':{}                                | 400 | EMPTY_SELECTOR",
                "'target':null                              | 400 | EMPTY_SELECTOR",
                "'priority':1                               | 400 | EMPTY_SELECTOR",
                "'target':{'selector':''}                   | 400 | EMPTY_SELECTOR",
                "'target':{'selector':'  '}                 | 400 | EMPTY_SELECTOR",
                "'target':{'selector':null}                 | 400 | EMPTY_SELECTOR",
                "'target':{'fleet':false}                   | 400 | EMPTY_SELECTOR",
                "'target':{'segmnt':'emea'}                 | 400 | UNKNOWN_KEY",
                "'target':{'selector':'segmnt = emea'}      | 400 | UNKNOWN_KEY",
                "'target':{'selector':'tag.segmnt = emea'}  | 400 | UNKNOWN_KEY",
                "'target':{'segment':'emea'}                | 422 | UNKNOWN_SEGMENT",
                "'target':{'segment':''}                    | 400 | BAD_SEGMENT",
                "'target':{'sensor_id':''}                  | 400 | BAD_SENSOR_ID",
                // The whole fleet has a kind of its own, and the same threshold.
                "'target':{'fleet':true}                    | 422 | THRESHOLD",
            })
    void shouldRefuseAndQueueNothing(String target, int status, String code) {
        fanout.post(
                        token,
                        "/v1/messages",
                        json("{'msg_id':'h18-no','type':'CONFIG_UPDATE','payload':''," + target + "}"))
                .refused(status, code);
        assertThat(CommandLog.entries(entry ->
                        entry.getCustomerId().equals("h18") && entry.getMsgId().equals("h18-no")))
                .isEmpty();
        fanout.get(token, "/v1/messages/h18-no").refused(404, "UNKNOWN_MESSAGE");
    }

    @Test
    void shouldSayZeroWhereNothingMatches() {
        var reply = fanout.post(token, "/v1/messages", """
                {"msg_id":"h18-none","type":"CONFIG_UPDATE","payload":"","target":{"selector":"os.family = ''"}}""").ok();
        assertThat(reply.number("resolved")).isZero();
        assertThat(fanout.get(token, "/v1/messages/h18-none").ok().number("resolved"))
                .isZero();
        assertThat(fanout.get(token, "/v1/messages/h18-none/targets").ok().texts("targets", "sensor_id"))
                .isEmpty();
        assertThat(CommandLog.entries("h18", "h18-none")).isEmpty();
    }

    @Test
    void shouldReachTheFleetOnceItIsNamedWithItsSize() {
        var reply = fanout.post(
                        token,
                        "/v1/messages",
                        json(
                                "{'msg_id':'h18-all','type':'CONFIG_UPDATE','payload':'','target':{'fleet':true},'max_targets':1001}"))
                .ok();
        assertThat(reply.number("resolved")).isEqualTo(1_001);
        org.awaitility.Awaitility.await()
                .atMost(java.time.Duration.ofSeconds(30))
                .untilAsserted(() -> {
                    List<String> sensors = CommandLog.entries("h18", "h18-all").stream()
                            .map(entry -> entry.getSensorId())
                            .toList();
                    assertThat(sensors).hasSize(1_001).doesNotHaveDuplicates();
                });
    }
}
