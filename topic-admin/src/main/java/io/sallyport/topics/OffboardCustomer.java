package io.sallyport.topics;

import io.sallyport.edge.read.CommittedReader;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.routing.Slots;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.AuditRecord;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.proto.log.v1.Offboarding;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Takes what the control topics hold of a customer out of them: the metadata of its sensors, and its segments. The
 * customer must be suspended or removed before, so that no sensor can say it all again; gateways end its sessions within
 * seconds of that. The audit record stays in the customer's own record, which goes on being suspended. Doing it twice
 * finds nothing the second time and changes nothing.
 *
 * <pre>OffboardCustomer --bootstrap-servers HOST:PORT[,…] --customer ID --by PRINCIPAL</pre>
 *
 * <p>Exit codes: 0 nothing is left; 1 the customer is active, or the cluster does not answer; 2 wrong usage.
 */
public final class OffboardCustomer {
    private static final int MAX_PRINCIPAL = 128;

    private final String bootstrapServers;

    public OffboardCustomer(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
    }

    public static void main(String[] args) throws InterruptedException {
        System.exit(run(List.of(args), System.out, System.err));
    }

    /** The tool without the end of its process; the result is its exit code. */
    public static int run(List<String> args, PrintStream out, PrintStream err) throws InterruptedException {
        Map<String, String> options = Map.of();
        try {
            options = parse(args);
        } catch (IllegalArgumentException e) {
            err.println("offboard-customer: " + e.getMessage());
            return PrepareCell.USAGE;
        }
        try {
            Offboarding done = new OffboardCustomer(options.getOrDefault("--bootstrap-servers", ""))
                    .offboard(options.getOrDefault("--customer", ""), options.getOrDefault("--by", ""));
            out.printf(
                    "offboard-customer: %d records of sensors and %d of segments are gone%n",
                    done.getMetadataRecords(), done.getSegmentRecords());
            return PrepareCell.DONE;
        } catch (KafkaException | IllegalStateException e) {
            err.println("offboard-customer: " + e.getMessage());
            return PrepareCell.FAILED;
        }
    }

    private static Map<String, String> parse(List<String> args) {
        var options = new LinkedHashMap<String, String>();
        for (int i = 0; i + 1 < args.size(); i += 2) {
            options.put(args.get(i), args.get(i + 1));
        }
        if (args.size() != 6
                || !options.keySet().equals(java.util.Set.of("--bootstrap-servers", "--customer", "--by"))) {
            throw new IllegalArgumentException("--bootstrap-servers, --customer and --by are needed, and nothing else");
        }
        return options;
    }

    /**
     * Returns the audit record once every tombstone and the record itself are durable.
     *
     * @param by who asked for it, 1 to 128 characters of printable ASCII
     * @throws IllegalStateException where an argument breaks its syntax, the customer is active, or the broker does not answer or take a record
     */
    public Offboarding offboard(String customerId, String by) throws InterruptedException {
        if (!SensorKey.isValidId(customerId)) {
            throw new IllegalStateException("that is no id of a customer");
        }
        if (!by.matches("[ -~]{1," + MAX_PRINCIPAL + "}")) {
            throw new IllegalStateException("who asked is 1 to " + MAX_PRINCIPAL + " printable characters");
        }
        Customer before = customer(customerId);
        if (!before.getSuspended()) {
            throw new IllegalStateException("customer " + customerId + " is active: suspend it first");
        }
        Map<String, Integer> metadata = keys(Topics.ENDPOINT_METADATA, customerId);
        Map<String, Integer> segments = keys(Topics.SEGMENTS, customerId);
        if (before.hasOffboarding() && metadata.isEmpty() && segments.isEmpty()) {
            return before.getOffboarding();
        }
        Offboarding audit = Offboarding.newBuilder()
                .setAtUs(System.currentTimeMillis() * 1_000)
                .setBy(by)
                .setMetadataRecords(before.getOffboarding().getMetadataRecords() + metadata.size())
                .setSegmentRecords(before.getOffboarding().getSegmentRecords() + segments.size())
                .build();
        try (var producer = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        (Object) bootstrapServers,
                        ProducerConfig.ACKS_CONFIG,
                        "all",
                        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                        30_000,
                        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                        10_000),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            // Before anything is gone: rather a trace of what failed than nothing of what was done.
            var trace = AuditRecord.newBuilder()
                    .setAtUs(audit.getAtUs())
                    .setBy(by)
                    .setAction("customer.offboard")
                    .setCustomerId(customerId)
                    .setSubject(customerId)
                    .setOutcome("done")
                    .setCount((long) metadata.size() + segments.size())
                    .build();
            await(List.of(producer.send(new ProducerRecord<>(
                    Topics.AUDIT.name(),
                    Slots.customerPartition(
                            customerId,
                            producer.partitionsFor(Topics.AUDIT.name()).size()),
                    bytes(customerId),
                    trace.toByteArray()))));
            remove(producer, Topics.ENDPOINT_METADATA, metadata);
            remove(producer, Topics.SEGMENTS, segments);
            // Last: a run that was cut off is not taken for one that is done.
            byte[] value = before.toBuilder().setOffboarding(audit).build().toByteArray();
            await(List.of(producer.send(new ProducerRecord<>(Topics.CUSTOMERS.name(), 0, bytes(customerId), value))));
        }
        return audit;
    }

    private static void remove(KafkaProducer<byte[], byte[]> producer, TopicSpec<?> topic, Map<String, Integer> keys)
            throws InterruptedException {
        var sent = new ArrayList<Future<RecordMetadata>>();
        keys.forEach((key, partition) ->
                sent.add(producer.send(new ProducerRecord<>(topic.name(), partition, bytes(key), null))));
        await(sent);
    }

    /** The customer as its newest record says; one that was removed, or never was, counts as suspended. */
    private Customer customer(String customerId) {
        return new CustomerRegistry(bootstrapServers, "sallyport")
                .find(customerId)
                .orElseGet(() -> Customer.newBuilder()
                        .setCustomerId(customerId)
                        .setSuspended(true)
                        .build());
    }

    /** Keys of the customer that have a value, and where they stand. */
    private Map<String, Integer> keys(TopicSpec<?> topic, String customerId) {
        var keys = new LinkedHashMap<String, Integer>();
        read(topic, record -> {
            String key = new String(record.key(), StandardCharsets.UTF_8);
            if (key.startsWith(customerId + "/")) {
                if (record.value() == null) {
                    keys.remove(key);
                } else {
                    keys.put(key, record.partition());
                }
            }
        });
        return keys;
    }

    /** Every record that is there now, in the order of its partition. */
    private void read(TopicSpec<?> topic, java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> each) {
        try (var reader = new CommittedReader(bootstrapServers, "sallyport-offboard")) {
            for (ConsumerRecord<byte[], byte[]> record :
                    reader.fromBeginning(topic.name()).toEnd()) {
                if (record.key() != null) {
                    each.accept(record);
                }
            }
        }
    }

    private static byte[] bytes(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }

    private static void await(List<Future<RecordMetadata>> pending) throws InterruptedException {
        for (Future<RecordMetadata> future : pending) {
            try {
                future.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("the broker did not take a record", e.getCause());
            }
        }
    }
}
