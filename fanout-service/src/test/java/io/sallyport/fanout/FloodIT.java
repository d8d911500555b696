package io.sallyport.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** One customer keeps asking for what does not exist; each of its requests makes a node look again. */
@ExtendWith(SharedFanout.class)
class FloodIT {
    private static final int CALLERS = 12;
    private static final int PUBLISHES = 40;

    private final RunningFanout fanout;
    private final CommandLog log;

    FloodIT(RunningFanout fanout, CommandLog log) {
        this.fanout = fanout;
        this.log = log;
    }

    @Test
    void shouldAnswerANeighbourWhileOneCustomerAsksForWhatDoesNotExist() throws Exception {
        String acme = fanout.tokens.all("acme");
        String globex = fanout.tokens.all("globex");
        log.fleet("globex", "flood-", 2, "flood");
        fanout.awaitSensors(globex, "tag.suite = flood", 2);
        fanout.send(globex, "PUT", "/v1/segments/flood", ApiCases.json("{'sensor_ids':['flood-0']}"))
                .ok();
        var stop = new AtomicBoolean();
        Set<Integer> answers = ConcurrentHashMap.newKeySet();
        var sent = new AtomicInteger();
        var callers = Executors.newFixedThreadPool(CALLERS);
        try {
            List<Future<Void>> floods = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                String target = caller % 2 == 0 ? "'sensor_id':'nosuch'" : "'segment':'nosuch'";
                Callable<Void> flood = () -> {
                    while (!stop.get()) {
                        answers.add(publish(acme, "flood-no-" + sent.incrementAndGet(), target)
                                .status());
                    }
                    return null;
                };
                floods.add(callers.submit(flood));
            }
            for (int i = 0; i < PUBLISHES; i++) {
                publish(globex, "flood-yes-" + i, i % 2 == 0 ? "'sensor_id':'flood-1'" : "'segment':'flood'")
                        .ok();
            }
            stop.set(true);
            for (Future<Void> flood : floods) {
                flood.get();
            }
        } finally {
            stop.set(true);
            callers.shutdown();
        }
        assertThat(sent).hasPositiveValue();
        assertThat(answers).isSubsetOf(422, 429);
    }

    private RunningFanout.Reply publish(String token, String msgId, String target) {
        return fanout.post(
                token,
                "/v1/messages",
                ApiCases.json(
                        "{'msg_id':'" + msgId + "','type':'CONFIG_UPDATE','payload':'','target':{" + target + "}}"));
    }
}
