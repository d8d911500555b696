package io.sallyport.topics;

import io.sallyport.edge.read.CommittedReader;
import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
 * A copy of the tables that people write, as text, and the way back into a new cluster. Of each key it has the newest
 * record. Nothing else can be taken to another cluster: what services write points to offsets of the logs that it was made
 * from, and a new cluster has other ones.
 *
 * <pre>ControlBackup save|restore --bootstrap-servers HOST:PORT[,…]</pre>
 *
 * <p>{@code save} writes to standard output, {@code restore} reads standard input. Doing that again changes nothing; a
 * cluster that has other customers, cells or segments than the copy is left alone.
 *
 * <p>Exit codes: 0 done; 1 refused, or the cluster does not answer; 2 wrong usage.
 */
public final class ControlBackup {
    static final List<TopicSpec<?>> TABLES = List.of(
            Topics.CUSTOMERS,
            Topics.CELLS,
            Topics.EVENT_TYPES,
            Topics.MESSAGE_TYPES,
            Topics.SEGMENTS,
            Topics.SHARD_MAP);

    /** The topic job fills the others. */
    private static final List<TopicSpec<?>> EMPTY_AT_FIRST = List.of(Topics.CUSTOMERS, Topics.CELLS, Topics.SEGMENTS);

    private static final String HEAD = "sallyport-control-tables 1";
    private static final String END = "end ";

    private final String bootstrapServers;

    public ControlBackup(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
    }

    public static void main(String[] args) throws InterruptedException {
        PrintStream copy = System.out;
        // What is logged must not end up in the copy.
        System.setOut(System.err);
        System.exit(run(List.of(args), System.in, copy, System.err));
    }

    /** The tool without the end of its process; the result is its exit code. */
    public static int run(List<String> args, InputStream in, PrintStream out, PrintStream err)
            throws InterruptedException {
        if (args.size() != 3
                || !args.get(0).matches("save|restore")
                || !args.get(1).equals("--bootstrap-servers")) {
            err.println("control-backup: save or restore, and --bootstrap-servers HOST:PORT");
            return PrepareCell.USAGE;
        }
        var backup = new ControlBackup(args.get(2));
        try {
            int records = args.get(0).equals("save") ? backup.save(out) : backup.restore(in);
            err.println("control-backup: " + records + " records");
            return PrepareCell.DONE;
        } catch (KafkaException | IllegalStateException | IOException e) {
            err.println("control-backup: " + e.getMessage());
            return PrepareCell.FAILED;
        }
    }

    private int save(PrintStream out) {
        int records = 0;
        out.print(HEAD + "\n");
        for (TopicSpec<?> table : TABLES) {
            for (Map.Entry<String, byte[]> row : rows(table).entrySet()) {
                out.print(table.name() + "\t" + row.getKey() + "\t"
                        + Base64.getEncoder().encodeToString(row.getValue()) + "\n");
                records++;
            }
        }
        out.print(END + records + "\n");
        out.flush();
        if (out.checkError()) {
            throw new IllegalStateException("the copy cannot be written");
        }
        return records;
    }

    private int restore(InputStream in) throws IOException, InterruptedException {
        Map<String, Map<String, byte[]>> copy = parse(in);
        for (TopicSpec<?> table : EMPTY_AT_FIRST) {
            Map<String, byte[]> wanted = copy.getOrDefault(table.name(), Map.of());
            rows(table).forEach((key, value) -> {
                if (!Arrays.equals(value, wanted.get(key))) {
                    throw new IllegalStateException(table.name() + " has a record of " + key
                            + " that is not in the copy: this is no new cluster");
                }
            });
        }
        var pending = new ArrayList<Future<RecordMetadata>>();
        try (var producer = new KafkaProducer<byte[], byte[]>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ProducerConfig.CLIENT_ID_CONFIG,
                        "sallyport-control-backup",
                        ProducerConfig.ACKS_CONFIG,
                        "all"),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            copy.forEach((topic, rows) -> rows.forEach((key, value) -> pending.add(
                    producer.send(new ProducerRecord<>(topic, 0, key.getBytes(StandardCharsets.UTF_8), value)))));
            for (Future<RecordMetadata> record : pending) {
                record.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("the broker did not take a record: " + e.getCause(), e.getCause());
        }
        return pending.size();
    }

    private Map<String, byte[]> rows(TopicSpec<?> table) {
        var rows = new TreeMap<String, byte[]>();
        try (var reader = new CommittedReader(bootstrapServers, "sallyport-control-backup")) {
            for (ConsumerRecord<byte[], byte[]> record :
                    reader.fromBeginning(table.name()).toEnd()) {
                String key = new String(record.key(), StandardCharsets.UTF_8);
                if (record.value() == null) {
                    rows.remove(key);
                } else {
                    rows.put(key, record.value());
                }
            }
        }
        return rows;
    }

    /** All of it before anything is written: half a copy is none. */
    private static Map<String, Map<String, byte[]>> parse(InputStream in) throws IOException {
        var tables = new TreeMap<String, Map<String, byte[]>>();
        var reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        if (!HEAD.equals(reader.readLine())) {
            throw new IllegalStateException("this is no copy of control tables");
        }
        int records = 0;
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            if (line.equals(END + records)) {
                return tables;
            }
            String[] fields = line.split("\t", -1);
            if (fields.length != 3
                    || TABLES.stream().noneMatch(table -> table.name().equals(fields[0]))) {
                throw new IllegalStateException(
                        "line " + (records + 2) + " of the copy is no record of a control table");
            }
            tables.computeIfAbsent(fields[0], name -> new TreeMap<>())
                    .put(fields[1], Base64.getDecoder().decode(fields[2]));
            records++;
        }
        throw new IllegalStateException("the copy has no end: " + records + " records");
    }
}
