package io.sallyport.local.cli;

import io.sallyport.local.rest.PublishingClient;
import io.sallyport.local.stack.StackException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "publish",
        description = {
            "Publishes a message to sensors of a customer; returns when the decision about it is durable.",
            "The same content under the same --msg-id again changes nothing.",
            "Exit code 1: refused, with the reason's stable code on standard error."
        })
final class PublishCommand extends Publishing {
    /** Far above the largest payload that a frame carries: only keeps a file that is no payload out of memory. */
    private static final long MAX_FILE_BYTES = 4L << 20;

    @Mixin
    private final JsonOption json = new JsonOption();

    @Option(
            names = "--customer",
            paramLabel = "C",
            converter = Values.Id.class,
            required = true,
            description = "whose sensors")
    private String customer = "";

    @ArgGroup(exclusive = true, multiplicity = "1")
    private Target target = new Target();

    @Option(
            names = "--type",
            paramLabel = "TYPE",
            description = "CONFIG_UPDATE, SENSOR_UPDATE, THREAT_INTEL_UPDATE, RESPONSE_ACTION or another that the"
                    + " registry message-types has")
    private @Nullable String type;

    @Option(
            names = "--payload",
            paramLabel = "TEXT|@FILE",
            description = "what the sensors get: this text, or the bytes of a file")
    private @Nullable String payload;

    @Option(
            names = "--empty-payload",
            description = "the sensors get no bytes: without it an empty --payload is refused")
    private boolean emptyPayload;

    @Option(
            names = "--msg-id",
            paramLabel = "ID",
            converter = Values.MsgId.class,
            description = "the idempotency key, 1 to 128 of A-Z a-z 0-9 . _ : - (default: a new one)")
    private @Nullable String msgId;

    @Option(
            names = "--ttl",
            paramLabel = "D",
            converter = Values.Time.class,
            description = "how long it may wait for a sensor, such as 90s or 7d (default: the type's)")
    private @Nullable Duration ttl;

    @Option(
            names = "--max-targets",
            paramLabel = "N",
            description = "refuse it where more sensors than this are meant (default: 1000)")
    private @Nullable Long maxTargets;

    @Option(
            names = "--coalesce-key",
            paramLabel = "K",
            description = "the target version of a SENSOR_UPDATE: a newer one replaces what still waits under it")
    private @Nullable String coalesceKey;

    @Option(names = "--priority", paramLabel = "P", description = "the lowest is evicted first from a full queue")
    private @Nullable Long priority;

    @Option(
            names = "--jitter",
            paramLabel = "D",
            converter = Values.Time.class,
            description = "window over which deliveries are spread, at most 60s; 0 = at once"
                    + " (default: 1 ms for each sensor)")
    private @Nullable Duration jitter;

    @Option(
            names = "--preview",
            description = "publish nothing: print which sensors are meant, and a token to publish to just these")
    private boolean preview;

    @Option(
            names = "--preview-token",
            paramLabel = "T",
            description = "of --preview with the same target: refused where it means other sensors by now")
    private @Nullable String previewToken;

    /** Whom the message is for. */
    static final class Target {
        @Option(
                names = "--sensor",
                paramLabel = "S",
                converter = Values.Id.class,
                required = true,
                description = "one sensor")
        private @Nullable String sensor;

        @Option(names = "--fleet", required = true, description = "every known sensor of the customer")
        private boolean fleet;

        @Option(
                names = "--selector",
                paramLabel = "X",
                required = true,
                description = "such as: os.family = windows and tag.site = \"site-1\"")
        private @Nullable String selector;

        @Option(
                names = "--segment",
                paramLabel = "N",
                converter = Values.Id.class,
                required = true,
                description = "the members of a stored list")
        private @Nullable String segment;

        private ObjectNode toJson() {
            ObjectNode json = PublishingClient.object();
            if (sensor != null) {
                json.put("sensor_id", sensor);
            } else if (selector != null) {
                json.put("selector", selector);
            } else if (segment != null) {
                json.put("segment", segment);
            } else {
                json.put("fleet", fleet);
            }
            return json;
        }
    }

    @Override
    int execute() throws Exception {
        if (preview) {
            show(client().preview(customer, target.toJson()));
            return DONE;
        }
        if (type == null || (payload == null) != emptyPayload) {
            throw usage("--type and either --payload or --empty-payload are needed, unless it is a --preview");
        }
        byte[] content = payload == null ? new byte[0] : bytes(payload);
        if (content.length == 0 && !emptyPayload) {
            throw usage("the payload is empty, which is seldom meant; --empty-payload publishes it");
        }
        JsonNode reply = client().publish(customer, message(type, content));
        if (json.wanted()) {
            print(reply);
        } else {
            out().printf(
                            "%s %s/%s: revision %d, %d sensor(s), expires %s%n",
                            reply.get("outcome").asString().equals("SAME") ? "published before:" : "accepted",
                            customer,
                            reply.get("msg_id").asString(),
                            reply.get("revision").asLong(),
                            reply.get("resolved").asLong(),
                            time(reply.get("expires_at_us").asLong()));
        }
        return DONE;
    }

    private ObjectNode message(String typeName, byte[] content) {
        ObjectNode message = PublishingClient.object();
        message.put("msg_id", msgId == null ? "cli-" + UUID.randomUUID() : msgId);
        message.set("target", target.toJson());
        message.put("type", typeName);
        message.put("payload", Base64.getEncoder().encodeToString(content));
        if (ttl != null) {
            message.put("ttl_ms", ttl.toMillis());
        }
        if (maxTargets != null) {
            message.put("max_targets", maxTargets);
        }
        if (coalesceKey != null) {
            message.put("coalesce_key", coalesceKey);
        }
        if (priority != null) {
            message.put("priority", priority);
        }
        if (jitter != null) {
            message.put("jitter_ms", jitter.toMillis());
        }
        if (previewToken != null) {
            message.put("preview_token", previewToken);
        }
        return message;
    }

    private byte[] bytes(String text) throws IOException {
        if (!text.startsWith("@")) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        Path file = Path.of(text.substring(1));
        try {
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw new StackException("PAYLOAD_TOO_LARGE: " + file + " has " + Files.size(file) + " bytes");
            }
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw usage("there is no file " + file);
        }
    }

    private void show(JsonNode found) {
        if (json.wanted()) {
            print(found);
            return;
        }
        out().printf("%d sensor(s) of %s%n", found.get("count").asLong(), customer);
        found.get("sample").forEach(sensor -> out().println("  " + sensor.asString()));
        if (found.get("count").asLong() > found.get("sample").size()) {
            out().println("  ...");
        }
        out().println("--preview-token " + found.get("preview_token").asString());
    }
}
