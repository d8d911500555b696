package io.sallyport.e2e.pipeline;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Recorded events of real hosts, where the machine has them beside the checkout. */
final class RecordedEvents {
    private static final JsonMapper JSON = new JsonMapper();

    private RecordedEvents() {}

    /** Skips the calling test where there is no recording. */
    static Path fileOrSkip() {
        Path file = checkout().resolveSibling("shared").resolve("data").resolve("endpoint-events.jsonl.gz");
        assumeTrue(
                Files.exists(file), "no recorded events beside the checkout; generated ones are tested all the same");
        return file;
    }

    /** Payloads by sensor, in file order. */
    static Map<String, List<JsonNode>> payloads(Path file) throws IOException {
        var payloads = new LinkedHashMap<String, List<JsonNode>>();
        try (var lines = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode event = JSON.readTree(line);
                payloads.computeIfAbsent(event.get("sensor").asString(), sensor -> new ArrayList<>())
                        .add(event.get("payload"));
            }
        }
        return payloads;
    }

    static JsonNode json(byte[] text) {
        return JSON.readTree(text);
    }

    /** Failsafe runs in the module's folder. */
    static Path checkout() {
        Path here = Path.of("").toAbsolutePath();
        return Files.exists(here.resolve("sallyport")) ? here : here.getParent();
    }
}
