package io.sallyport.session.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.proto.log.v1.CustomerDemand;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Nodes that tell each other what one customer wants, over a log that each reads late, and let in what they may. */
class CellDemandSimulationTest {
    private static final String CUSTOMER = "acme";
    private static final long QUOTA = 1_000_000;
    private static final TenantFlow.Rate CELL = new TenantFlow.Rate(QUOTA, QUOTA);
    private static final int STEP_MS = 50;
    private static final int WORD_MS = 5_000;
    private static final int MAX_DELAY_MS = 1_000;

    private record Word(int node, List<CustomerDemand> demand, long atMs) {}

    private static final class Cell {
        final Random random;
        final List<Node> nodes = new ArrayList<>();
        final List<Word> log = new ArrayList<>();
        long nowMs = 1_000_000;

        Cell(long seed, int count) {
            random = new Random(seed);
            for (int i = 0; i < count; i++) {
                nodes.add(new Node(this, i));
            }
        }

        /** Returns what was let in meanwhile, in seconds of the customer's rate. */
        double run(int ms) {
            long before = nodes.stream().mapToLong(node -> node.letIn).sum();
            for (long end = nowMs + ms; nowMs < end; nowMs += STEP_MS) {
                nodes.forEach(Node::step);
            }
            return (double) (nodes.stream().mapToLong(node -> node.letIn).sum() - before) / QUOTA;
        }
    }

    private static final class Node {
        final Cell cell;
        final int number;
        final CellDemand demand;
        final TenantFlow flow;
        final List<TenantFlow.Share> sensors = new ArrayList<>();
        final int phaseMs;
        /** Of the customer's rate. */
        double offers;

        boolean alive = true;
        boolean connected = true;
        double waiting;
        long letIn;
        int read;
        int turn;

        Node(Cell cell, int number) {
            this.cell = cell;
            this.number = number;
            this.demand = new CellDemand(number);
            this.flow = new TenantFlow(CELL, LinkLimits.DEFAULTS, 0);
            this.phaseMs = cell.random.nextInt(WORD_MS / STEP_MS) * STEP_MS;
            demand.measure(CUSTOMER, flow);
            sensors(10);
        }

        void sensors(int count) {
            while (sensors.size() < count) {
                sensors.add(flow.join("s-" + sensors.size(), cell.nowMs * 1_000_000));
            }
            while (sensors.size() > count) {
                sensors.remove(sensors.size() - 1).close(cell.nowMs * 1_000_000);
            }
        }

        double share() {
            return demand.share(CUSTOMER, sensors.size(), CELL, cell.nowMs);
        }

        void step() {
            long nowNanos = cell.nowMs * 1_000_000;
            if (!alive) {
                return;
            }
            if (connected && (cell.nowMs + phaseMs) % WORD_MS == 0) {
                cell.log.add(new Word(number, demand.say(nowNanos), cell.nowMs));
            }
            while (connected && read < cell.log.size()) {
                Word next = cell.log.get(read);
                if (cell.nowMs - next.atMs() < MAX_DELAY_MS && cell.random.nextInt(5) > 0) {
                    break;
                }
                demand.heard(next.node(), next.demand(), next.atMs());
                read++;
            }
            if ((cell.nowMs + phaseMs) % 1_000 == 0) {
                flow.changeRate(CELL.times(share()), nowNanos);
            }
            waiting = Math.min(waiting + offers * QUOTA * STEP_MS / 1_000, QUOTA);
            for (int i = 0; i < sensors.size() && waiting >= 5_000; i++) {
                TenantFlow.Share sensor = sensors.get(turn++ % sensors.size());
                if (sensor.waitNanos(nowNanos) == 0) {
                    sensor.charge(5_000, 1, nowNanos);
                    waiting -= 5_000;
                    letIn += 5_000;
                }
            }
        }
    }

    /** Two nodes want more, the third lends; this one said that it has one sensor, and nine came since. */
    @Test
    void shouldCountItsOwnSensorsOfNow() {
        var demand = new CellDemand(0);
        demand.heard(0, List.of(word(1, true)), 0);
        demand.heard(1, List.of(word(10, true)), 0);
        demand.heard(2, List.of(word(10, false)), 0);
        assertThat(demand.share(CUSTOMER, 10, CELL, 0)).isEqualTo(0.5);
    }

    private static CustomerDemand word(int sensors, boolean waits) {
        return CustomerDemand.newBuilder()
                .setCustomerId(CUSTOMER)
                .setSensors(sensors)
                .setWaits(waits)
                .build();
    }

    @Test
    void shouldLendWhatTheOthersDoNotUseAndTakeItBackWhenTheyDo() {
        var cell = new Cell(1, 3);
        Node greedy = cell.nodes.get(0);
        greedy.offers = 3;
        cell.run(20_000);
        assertThat(greedy.share()).isGreaterThan(0.95);
        assertThat(cell.run(60_000)).isBetween(58.0, 62.0);
        Node waking = cell.nodes.get(1);
        waking.offers = 3;
        // Its floor is there at once, and all that is too much is what was lent, for a word and its way, and one burst.
        long before = waking.letIn;
        double first = cell.run(8_000);
        assertThat((double) (waking.letIn - before) / QUOTA).isGreaterThan(8.0 / 3);
        assertThat(first).isLessThan(8 + 7.0 / 3 + 1);
        assertThat(cell.run(60_000)).isBetween(58.0, 62.0);
        assertThat(greedy.share()).isBetween(0.48, 0.52);
        assertThat(waking.share()).isBetween(0.48, 0.52);
    }

    /** What is used twice when a node wakes is left unused when it sleeps again, whatever the times are. */
    @Test
    void shouldHoldTheRateWhereANodeWakesAndSleepsByTurns() {
        for (int wakesMs : new int[] {2_000, 6_000, 15_000}) {
            for (int sleepsMs : new int[] {2_000, 6_000, 20_000}) {
                var cell = new Cell(2, 2);
                cell.nodes.get(0).offers = 3;
                double letIn = 0;
                double seconds = 0;
                while (seconds < 300) {
                    cell.nodes.get(1).offers = 3;
                    letIn += cell.run(wakesMs);
                    cell.nodes.get(1).offers = 0;
                    letIn += cell.run(sleepsMs);
                    seconds += (wakesMs + sleepsMs) / 1_000.0;
                }
                assertThat(letIn / seconds).as("%d %d", wakesMs, sleepsMs).isBetween(0.75, 1.05);
            }
        }
    }

    @Test
    void shouldForgetADeadNodeAndFallBackToEqualSharesWhereNothingIsHeard() {
        var cell = new Cell(3, 4);
        cell.nodes.forEach(node -> node.offers = 3);
        cell.run(30_000);
        assertThat(cell.nodes).allSatisfy(node -> assertThat(node.share()).isBetween(0.24, 0.26));
        cell.nodes.get(3).alive = false;
        cell.run(40_000);
        assertThat(cell.nodes.subList(0, 3))
                .allSatisfy(node -> assertThat(node.share()).isBetween(0.33, 0.34));
        cell.nodes.get(0).sensors(30);
        cell.run(10_000);
        assertThat(cell.nodes.get(0).share()).isBetween(0.59, 0.61);
        cell.nodes.forEach(node -> node.connected = false);
        cell.run(20_000);
        assertThat(cell.nodes.subList(0, 3))
                .allSatisfy(node -> assertThat(node.share()).isBetween(0.33, 0.34));
    }

    /**
     * Demand, sensors, deaths and cut-off nodes at random: a node always has its floor, and over ten minutes a customer
     * does not get more than its rate by more than a tenth, and what the nodes had saved up.
     */
    @Test
    void shouldHoldTheRateOverManySchedules() {
        for (long seed = 1; seed <= 60; seed++) {
            var cell = new Cell(seed, 2 + (int) (seed % 5));
            double letIn = 0;
            double seconds = 0;
            while (seconds < 600) {
                Node node = cell.nodes.get(cell.random.nextInt(cell.nodes.size()));
                switch (cell.random.nextInt(6)) {
                    case 0 -> node.sensors(1 + cell.random.nextInt(40));
                    case 1 -> node.alive = !node.alive;
                    case 2 -> node.offers = 0;
                    case 3 -> node.offers = cell.random.nextDouble() / 2;
                    default -> node.offers = 3;
                }
                int ms = (20 + cell.random.nextInt(400)) * STEP_MS;
                letIn += cell.run(ms);
                seconds += ms / 1_000.0;
                for (Node of : cell.nodes) {
                    assertThat(of.share()).as("seed %d", seed).isBetween(1e-9, 1.0);
                }
            }
            assertThat(letIn).as("seed %d", seed).isLessThan(seconds * 1.1 + cell.nodes.size());
        }
    }
}
