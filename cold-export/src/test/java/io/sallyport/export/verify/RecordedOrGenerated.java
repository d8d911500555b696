package io.sallyport.export.verify;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.ByteString;
import io.sallyport.export.work.TestShard;
import io.sallyport.proto.log.v1.Envelope;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Events to do harm to: made by this repository, and recorded from real hosts where the machine has those. */
enum RecordedOrGenerated {
    GENERATED {
        @Override
        List<Envelope.Builder> events(int count) {
            var random = new Random(5);
            var events = new ArrayList<Envelope.Builder>();
            for (int seq = 1; seq <= count; seq++) {
                events.add(TestShard.event(seq % 3 == 0 ? "globex" : "acme", "s-" + random.nextInt(4), seq));
            }
            return events;
        }
    },
    RECORDED {
        @Override
        List<Envelope.Builder> events(int count) throws IOException {
            Path here = Path.of("").toAbsolutePath();
            Path checkout = Files.exists(here.resolve("sallyport")) ? here : here.getParent();
            Path file = checkout.resolveSibling("shared").resolve("data").resolve("endpoint-events.jsonl.gz");
            assumeTrue(
                    Files.exists(file),
                    "no recorded events beside the checkout; generated ones are tested all the same");
            var json = new JsonMapper();
            var events = new ArrayList<Envelope.Builder>();
            Map<String, Long> seqs = new HashMap<>();
            try (var lines = new BufferedReader(
                    new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null && events.size() < count; line = lines.readLine()) {
                    JsonNode event = json.readTree(line);
                    String host = event.get("sensor").asString();
                    events.add(TestShard.event(
                                    host.hashCode() % 2 == 0 ? "globex" : "acme", host, seqs.merge(host, 1L, Long::sum))
                            .setEventTsUs(event.get("ts_us").asLong())
                            .setPayload(
                                    ByteString.copyFromUtf8(event.get("payload").toString())));
                }
            }
            return events;
        }
    };

    abstract List<Envelope.Builder> events(int count) throws IOException;
}
