package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.broker.TestBroker;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.proto.log.v1.Offboarding;
import io.sallyport.topics.CustomerRegistry;
import io.sallyport.topics.PrepareCell;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The topic job of compose and Kubernetes, on a broker. */
class PrepareCellIT {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... args) throws InterruptedException {
        return PrepareCell.run(
                List.of(args),
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @Test
    void shouldChangeNothingOfACellThatIsThere() throws InterruptedException {
        String broker = TestBroker.shared().bootstrapServers();

        assertThat(run(
                        "--bootstrap-servers",
                        broker,
                        "--sizing",
                        "local",
                        "--customers",
                        "acme,initech",
                        "--attempts",
                        "3"))
                .isZero();
        assertThat(run("--bootstrap-servers", broker, "--sizing", "local")).isZero();
    }

    @Test
    void shouldLeaveCustomersThatAreThereAsTheyAre() throws InterruptedException {
        String broker = TestBroker.shared().bootstrapServers();
        var customers = new CustomerRegistry(broker, "test");
        Customer gone = customers.put(
                "hooli",
                hooli -> hooli.setSuspended(true).setBytesPerDay(1_000).setOffboarding(Offboarding.newBuilder()));

        assertThat(run("--bootstrap-servers", broker, "--sizing", "local", "--customers", "hooli,umbrella"))
                .isZero();
        assertThat(customers.find("hooli")).contains(gone);
        assertThat(customers.find("umbrella"))
                .contains(Customer.newBuilder().setCustomerId("umbrella").build());
    }

    @Test
    void shouldNameWhatDiffersFromTheSizing() throws InterruptedException {
        String broker = TestBroker.shared().bootstrapServers();

        assertThat(run("--bootstrap-servers", broker, "--sizing", "cell")).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("raw has 8 partitions, not 64", "min.insync.replicas");
    }

    @Test
    void shouldSayThatAnOlderTopicIsNotTiered() throws InterruptedException {
        String broker = TestBroker.shared().bootstrapServers();

        assertThat(run("--bootstrap-servers", broker, "--sizing", "local", "--tiered-storage", "on"))
                .isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("structured has remote.storage.enable=false, not true");
        assertThat(run("--bootstrap-servers", broker, "--sizing", "local", "--tiered-storage", "off"))
                .isZero();
    }

    @Test
    void shouldRefuseWrongUsage() throws InterruptedException {
        assertThat(run()).isEqualTo(2);
        assertThat(run("--bootstrap-servers", "a:1", "--sizing", "huge")).isEqualTo(2);
        assertThat(run("--bootstrap-servers")).isEqualTo(2);
        assertThat(run("--bootstrap-servers", "a:1", "--sizing", "local", "--customers", "../x"))
                .isEqualTo(2);
        assertThat(run("--bootstrap-servers", "a:1", "--sizing", "local", "--force", "1"))
                .isEqualTo(2);
        assertThat(run("--bootstrap-servers", "a:1", "--sizing", "local", "--tiered-storage", "yes"))
                .isEqualTo(2);
        assertThat(run("--bootstrap-servers", "a:1", "--sizing", "local", "--attempts", "0"))
                .isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("huge", "has no value", "'../x'", "--force");
    }
}
