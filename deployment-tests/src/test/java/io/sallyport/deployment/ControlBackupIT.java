package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.broker.KraftBroker;
import io.sallyport.edge.read.CommittedReader;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.proto.log.v1.EventType;
import io.sallyport.topics.ControlBackup;
import io.sallyport.topics.ControlSeeds;
import io.sallyport.topics.TopicAdmin;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The control tables of a cell that is lost, in a new cluster. */
class ControlBackupIT {
    @TempDir
    private Path folder;

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void shouldBringTheNewestRecordsIntoANewClusterAndIntoNoOther() throws Exception {
        byte[] copy;
        try (KraftBroker lost = cell("lost");
                var seeds = new ControlSeeds(lost.bootstrapServers())) {
            seeds.put(Customer.newBuilder().setCustomerId("acme").build());
            seeds.put(Customer.newBuilder()
                    .setCustomerId("acme")
                    .setBytesPerDay(7)
                    .build());
            seeds.put(Customer.newBuilder()
                    .setCustomerId("globex")
                    .setSuspended(true)
                    .build());
            seeds.put(EventType.newBuilder().setNumber(4711).setName("own").build());
            var out = new ByteArrayOutputStream();
            assertThat(run("save", lost, new byte[0], out)).as(err.toString()).isZero();
            copy = out.toByteArray();
            assertThat(out.toString(StandardCharsets.UTF_8).lines())
                    .filteredOn(line -> line.startsWith("customers\t"))
                    .hasSize(2);
        }

        try (KraftBroker fresh = cell("fresh");
                var seeds = new ControlSeeds(fresh.bootstrapServers())) {
            byte[] half = java.util.Arrays.copyOf(copy, copy.length - 10);
            assertThat(run("restore", fresh, half, new ByteArrayOutputStream())).isEqualTo(1);
            assertThat(customers(fresh)).isEmpty();

            // Again, since who is not sure does it twice.
            for (int i = 0; i < 2; i++) {
                assertThat(run("restore", fresh, copy, new ByteArrayOutputStream()))
                        .as(err.toString())
                        .isZero();
            }
            assertThat(customers(fresh)).containsOnlyKeys("acme", "globex").satisfies(restored -> {
                assertThat(restored.get("acme").getBytesPerDay()).isEqualTo(7);
                assertThat(restored.get("globex").getSuspended()).isTrue();
            });
            var out = new ByteArrayOutputStream();
            assertThat(run("save", fresh, new byte[0], out)).isZero();
            assertThat(out.toByteArray()).isEqualTo(copy);

            seeds.put(Customer.newBuilder().setCustomerId("initech").build());
            assertThat(run("restore", fresh, copy, new ByteArrayOutputStream())).isEqualTo(1);
            assertThat(err.toString(StandardCharsets.UTF_8)).contains("initech");
        }
    }

    private KraftBroker cell(String name) throws Exception {
        KraftBroker broker = KraftBroker.start(folder.resolve(name), 0);
        try (var topics = new TopicAdmin(broker.bootstrapServers(), TopicSizing.LOCAL);
                var seeds = new ControlSeeds(broker.bootstrapServers())) {
            topics.create();
            seeds.seedCell(TopicSizing.LOCAL.shardsMax());
        }
        return broker;
    }

    private int run(String what, KraftBroker broker, byte[] in, ByteArrayOutputStream out) throws InterruptedException {
        return ControlBackup.run(
                List.of(what, "--bootstrap-servers", broker.bootstrapServers()),
                new ByteArrayInputStream(in),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private static Map<String, Customer> customers(KraftBroker broker) throws Exception {
        var customers = new HashMap<String, Customer>();
        try (var reader = new CommittedReader(broker.bootstrapServers(), "test")) {
            for (var record : reader.fromBeginning(Topics.CUSTOMERS.name()).toEnd()) {
                Customer customer = Customer.parseFrom(record.value());
                customers.put(customer.getCustomerId(), customer);
            }
        }
        return customers;
    }
}
