package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.topic.RetentionTier;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.local.capacity.Load;
import io.sallyport.local.cli.SallyportCommand;
import io.sallyport.session.config.SessionProperties;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** docs/capacity.md and the overlay of a full cell against the calculator. */
class CapacityPageTest {
    private static final Load CELL = new Load(100_000, 10_000, 32_000);
    private static final int REPLICAS = 3;
    private static final int ZONES = 3;
    /** Of a broker's volumes; SallyportVolumeFills is raised at what is left. */
    private static final double FULL = 0.8;

    private static final Map<String, Double> UNITS = Map.of("Mi", 0x1p20, "Gi", 0x1p30, "Ti", 0x1p40);

    private final String page = Repository.text("docs/capacity.md");

    @Test
    void shouldShowWhatTheCommandPrints() {
        var out = new StringWriter();
        int exit = SallyportCommand.commandLine().setOut(new PrintWriter(out)).execute("capacity");

        assertThat(exit).isZero();
        assertThat(page).contains("```\n" + out.toString().strip() + "\n```");
    }

    @Test
    void shouldScaleAsTheCalculatorDoes() {
        for (long sensors : List.of(100_000L, 1_000_000L, 10_000_000L)) {
            var load = new Load(sensors, 10_000, 32_000);
            String row = page.lines()
                    .filter(line -> line.startsWith("| %s |"
                            .formatted(sensors == 100_000 ? "100,000 sensors" : sensors / 1_000_000 + " million")))
                    .findFirst()
                    .orElseThrow();

            assertThat(row)
                    .contains(
                            load.eventsPerS() < 1e6
                                    ? String.format(Locale.ROOT, "%,.0f", load.eventsPerS())
                                    : String.format(Locale.ROOT, "%.2f million", load.eventsPerS() / 1e6))
                    .contains(short3(load.bytesPerS()) + "/s")
                    .contains(short3(load.bytesPerS() * REPLICAS * 86_400))
                    .contains(String.format(Locale.ROOT, "| %,d", load.partitions()));
        }
    }

    @Test
    void shouldSayWhatTheBrokersKeep() {
        assertThat(page)
                .contains("| `raw` | %s |".formatted(short3(raw())))
                .contains("| `structured` | %s |".formatted(short3(structured(RetentionTier.WARM))))
                .contains("| `proof-segments` | %s |".formatted(short3(proof())))
                .contains("| in all | %.0f TB |".formatted((raw() + structured(RetentionTier.WARM) + proof()) / 1e12))
                .contains("%.0f TB with tiered storage"
                        .formatted((raw() + structured(RetentionTier.HOT) + proof()) / 1e12));
    }

    /** The topics' retention on the disks that the brokers have. */
    @Test
    void shouldGiveTheBrokersDisksForWhatTheTopicsKeep() {
        Node brokers = Repository.documents(Repository.text("k8s/components/strimzi/kafka.yaml")).stream()
                .filter(pool -> pool.at("spec/roles").texts().contains("broker"))
                .findFirst()
                .orElseThrow();
        double disks = brokers.at("spec/replicas").number()
                * brokers.at("spec/storage/volumes")
                        .items()
                        .mapToDouble(volume -> bytes(volume.at("size").text()))
                        .sum();

        assertThat(disks * FULL).isGreaterThan(raw() + structured(RetentionTier.WARM) + proof());
    }

    @Test
    void shouldSayWithWhichBrokersTieredStorageHoldsACell() {
        Matcher said = Pattern.compile("(\\d+)\\s+brokers\\s+with\\s+(\\d+)\\s+TiB\\s+each")
                .matcher(page);
        assertThat(said.find()).isTrue();
        double disks = Integer.parseInt(said.group(1)) * Integer.parseInt(said.group(2)) * 0x1p40;

        assertThat(disks * FULL).isGreaterThan(raw() + structured(RetentionTier.HOT) + proof());
    }

    /** Two zones of three hold every sensor, since a third is gone when its zone is. */
    @Test
    void shouldHoldTheCellsSensorsInTwoOfThreeZones() {
        int gateways = Repository.yaml("k8s/overlays/cell/kustomization.yaml")
                .at("replicas")
                .items()
                .filter(each -> each.at("name").text().equals("session-service"))
                .findFirst()
                .orElseThrow()
                .at("count")
                .number();
        int most = new Binder(new MapConfigurationPropertySource())
                .bindOrCreate("admission", SessionProperties.Admission.class)
                .maxSessions();
        int largestZone = (gateways + ZONES - 1) / ZONES;

        assertThat((long) (gateways - largestZone) * most).isGreaterThanOrEqualTo(CELL.sensors());
        // The handbook's rule, which says the same for any number of sensors.
        assertThat(Repository.text("docs/operations.md"))
                .contains(String.format(Locale.ROOT, "below %,d", most * (ZONES - 1) / ZONES));
        assertThat(CELL.sensors() / gateways).isLessThan((long) most * (ZONES - 1) / ZONES);
    }

    /** It is for one node, beside what else a laptop runs. */
    @Test
    void shouldFitATrialOnALaptop() {
        List<Node> resources = Manifests.rendered("k8s/overlays/dev");
        double memory = 0;
        double processors = 0;
        for (Node workload : resources.stream().filter(Manifests::isWorkload).toList()) {
            Node replicas = workload.at("spec/replicas");
            int pods = replicas.exists() ? replicas.number() : 1;
            for (Node container : Manifests.containers(workload).toList()) {
                memory += pods * bytes(container.at("resources/requests/memory").text());
                String cpu = container.at("resources/requests/cpu").text();
                processors += pods
                        * (cpu.endsWith("m")
                                ? Double.parseDouble(cpu.replace("m", "")) / 1_000
                                : Double.parseDouble(cpu));
            }
        }

        assertThat(memory).isLessThan(8.5 * 0x1p30);
        assertThat(processors).isLessThan(2);
    }

    private static double raw() {
        return CELL.bytesPerS() * RetentionTier.RAW.retention().toSeconds() * REPLICAS;
    }

    private static double structured(RetentionTier tier) {
        return CELL.bytesPerS() * tier.retention().toSeconds() * REPLICAS;
    }

    /** A leaf hash of 32 bytes for each event. */
    private static double proof() {
        return CELL.eventsPerS() * 32 * Topics.PROOF_SEGMENTS.retention().toSeconds() * REPLICAS;
    }

    private static double bytes(String quantity) {
        String unit = quantity.substring(quantity.length() - 2);
        return Double.parseDouble(quantity.substring(0, quantity.length() - 2)) * UNITS.get(unit);
    }

    /** Two digits at least, three at most, in the unit that fits. */
    private static String short3(double bytes) {
        return Stream.of(Map.entry("PB", 1e15), Map.entry("TB", 1e12), Map.entry("GB", 1e9), Map.entry("MB", 1e6))
                .filter(unit -> bytes >= unit.getValue())
                .findFirst()
                .map(unit -> {
                    double value = bytes / unit.getValue();
                    BigDecimal rounded = BigDecimal.valueOf(value).setScale(value < 10 ? 1 : 0, RoundingMode.HALF_UP);
                    return rounded.stripTrailingZeros().toPlainString() + " " + unit.getKey();
                })
                .orElseThrow();
    }
}
