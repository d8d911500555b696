package io.sallyport.local.cli;

import io.sallyport.envelope.topic.Topics;
import io.sallyport.local.records.Registry;
import io.sallyport.local.rest.PublishingClient;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

@Command(name = "sensors", description = "The known sensors: connected or not, and what they say of their hosts.")
final class SensorsCommand extends Publishing {
    @Mixin
    private final JsonOption json = new JsonOption();

    @Option(
            names = "--customer",
            paramLabel = "C",
            converter = Values.Id.class,
            description = "only sensors of this customer")
    private @Nullable String customer;

    @Option(
            names = "--selector",
            paramLabel = "X",
            description = "only those that it matches, such as: connected = true and os.family = windows")
    private @Nullable String selector;

    @Override
    int execute() throws Exception {
        PublishingClient client = client();
        if (customer == null && isCell()) {
            throw usage("with --api a token is for its customers: --customer is needed");
        }
        Collection<String> customers =
                customer == null ? Registry.read(stackKafka(), Topics.CUSTOMERS).keySet() : List.of(customer);
        ObjectNode result = PublishingClient.object();
        ArrayNode all = result.putArray("sensors");
        for (String one : customers) {
            for (JsonNode sensor : client.sensors(one, selector)) {
                ObjectNode line = PublishingClient.object().put("customer_id", one);
                sensor.properties().forEach(field -> line.set(field.getKey(), field.getValue()));
                all.add(line);
            }
        }
        if (json.wanted()) {
            print(result.put("count", all.size()));
            return DONE;
        }
        for (JsonNode sensor : all) {
            out().printf(
                            "%-12s %-24s %-13s %-8s %-12s %s%n",
                            sensor.get("customer_id").asString(),
                            sensor.get("sensor_id").asString(),
                            sensor.get("connected").asBoolean() ? "connected" : "not connected",
                            plain(sensor.get("os_family")),
                            plain(sensor.get("os_version")),
                            sensor.get("tags").toString());
        }
        out().println(all.size() + " sensor(s)");
        return DONE;
    }
}
