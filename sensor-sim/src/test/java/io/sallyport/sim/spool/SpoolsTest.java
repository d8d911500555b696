package io.sallyport.sim.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.sim.core.Effect;
import io.sallyport.sim.core.Recovered;
import io.sallyport.sim.core.RememberedMessage;
import io.sallyport.sim.core.SensorEvent;
import io.sallyport.sim.core.SensorState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

class SpoolsTest {
    private static final SensorKey KEY = new SensorKey("acme", "s-1");
    private static final SensorKey NEIGHBOUR = new SensorKey("acme", "s-10");

    @TempDir
    Path folder;

    static SensorEvent event(long n, int bytes) {
        var payload = new byte[bytes];
        java.util.Arrays.fill(payload, (byte) n);
        return new SensorEvent(n, 7, 1, payload);
    }

    static Effect.Append append(long epoch, long firstSeq, int count) {
        var events = new ArrayList<SensorEvent>();
        for (int i = 0; i < count; i++) {
            events.add(event(firstSeq + i, 5_000));
        }
        long last = firstSeq + count - 1;
        return new Effect.Append(epoch, firstSeq, events, new SensorState(epoch, last, 0, 9, last, 0));
    }

    private RocksSpools rocks() {
        return new RocksSpools(folder, false);
    }

    private static List<Long> seqs(Recovered recovered) {
        return recovered.entries().stream().map(Recovered.Entry::seq).toList();
    }

    @Test
    void shouldGiveBackTheSameFromMemoryAndFromDisk() {
        for (SpoolStore store : List.of(new MemorySpools(), rocks())) {
            try (store) {
                SensorSpool spool = store.open(KEY);
                assertThat(spool.recover()).isEqualTo(Recovered.NOTHING);
                spool.append(append(0, 1, 100));
                spool.trim(new Effect.Trim(0, 40, new SensorState(0, 100, 40, 9, 100, 40)));
                spool.drop(new Effect.Drop(0, 50, 52, 3, new SensorState(0, 100, 40, 9, 100, 40)));
                assertThat(spool.read(0, 40)).isNull();
                assertThat(spool.read(0, 51)).isNull();
                assertThat(spool.read(1, 60)).isNull();
                assertThat(spool.read(0, 101)).isNull();
                SensorEvent first = spool.read(0, 60);
                SensorEvent again = spool.read(0, 60);
                assertThat(first).usingRecursiveComparison().isEqualTo(event(60, 5_000));
                assertThat(again).usingRecursiveComparison().isEqualTo(event(60, 5_000));
                long[] rest = {60, 61, 99};
                spool.renumber(new Effect.Renumber(0, rest, 4, 1, true, new SensorState(4, 3, 0, 9, 100, 40)));
                assertThat(spool.read(0, 60)).isNull();
                assertThat(spool.read(4, 3)).usingRecursiveComparison().isEqualTo(event(99, 5_000));
                assertThat(spool.read(4, 4)).isNull();
            }
        }
    }

    @Test
    void shouldRecoverEverythingAfterAClose() {
        try (var store = rocks()) {
            SensorSpool spool = store.open(KEY);
            spool.recover();
            store.open(NEIGHBOUR).append(append(7, 1, 3));
            spool.append(append(7, 1, 30));
            spool.trim(new Effect.Trim(7, 20, new SensorState(7, 30, 20, 9, 30, 20)));
            spool.drop(new Effect.Drop(7, 25, 25, 3, new SensorState(7, 30, 20, 9, 30, 20)));
            for (int i = 0; i < 1_030; i++) {
                spool.remember(new Effect.Remember(new RememberedMessage(i, "m-" + i, i % 2 == 0)));
            }
        }
        try (var store = rocks()) {
            SensorSpool spool = store.open(KEY);
            Recovered recovered = spool.recover();
            assertThat(recovered.state()).isEqualTo(new SensorState(7, 30, 20, 9, 30, 20));
            assertThat(seqs(recovered))
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(21, 30).boxed().toList());
            assertThat(recovered.entries().get(0)).isEqualTo(new Recovered.Entry(21, 5_000, 7, false, 0));
            assertThat(recovered.entries().get(4).skipReason()).isEqualTo(3);
            assertThat(recovered.messages()).hasSize(1_024).endsWith(new RememberedMessage(1_029, "m-1029", false));
            assertThat(spool.read(7, 30)).usingRecursiveComparison().isEqualTo(event(30, 5_000));
            assertThat(seqs(store.open(NEIGHBOUR).recover())).containsExactly(1L, 2L, 3L);
        }
    }

    @Test
    void shouldKeepTheFlagOfRenumberedEvents() {
        try (var store = rocks()) {
            SensorSpool spool = store.open(KEY);
            spool.recover();
            spool.append(append(1, 1, 3));
            long[] moved = {2, 3};
            spool.renumber(new Effect.Renumber(1, moved, 2, 1, true, new SensorState(2, 2, 0, 9, 3, 0)));
        }
        try (var store = rocks()) {
            assertThat(store.open(KEY).recover().entries())
                    .containsExactly(
                            new Recovered.Entry(1, 5_000, 7, true, 0), new Recovered.Entry(2, 5_000, 7, true, 0));
        }
    }

    @Test
    void shouldNotGiveBackWhatIsDamaged() throws RocksDBException {
        try (var store = rocks()) {
            SensorSpool spool = store.open(KEY);
            spool.recover();
            spool.append(append(1, 1, 3));
        }
        try (var options = new Options();
                var db = RocksDB.open(options, folder.toString())) {
            byte[] key = new SpoolKeys(KEY).event(1, 2);
            byte[] value = db.get(key);
            value[100] ^= 1;
            db.put(key, value);
        }
        try (var store = rocks()) {
            SensorSpool spool = store.open(KEY);
            assertThat(seqs(spool.recover())).containsExactly(1L, 3L);
            assertThat(spool.read(1, 2)).isNull();
            assertThat(spool.read(1, 3)).isNotNull();
        }
    }

    @Test
    void shouldRefuseAFolderThatIsInUse() {
        try (var store = rocks()) {
            assertThatThrownBy(this::rocks).isInstanceOf(SpoolException.class);
        }
    }

    /** Writes until it is killed; prints the last number that it was told is durable. */
    static final class Victim {
        public static void main(String[] arguments) {
            var store = new RocksSpools(Path.of(arguments[0]), false);
            SensorSpool spool = store.open(KEY);
            spool.recover();
            for (long seq = 1; ; seq += 3) {
                spool.append(append(5, seq, 3));
                System.out.println(seq + 2);
            }
        }
    }

    @Test
    void shouldHoldWhatWasAppendedBeforeAKill() throws Exception {
        Path output = folder.resolve("victim.txt");
        Process victim = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Victim.class.getName(),
                        folder.resolve("db").toString())
                .redirectOutput(output.toFile())
                .start();
        try {
            org.awaitility.Awaitility.await().atMost(30, TimeUnit.SECONDS).until(() -> lines(output) > 200);
        } finally {
            victim.destroyForcibly().waitFor();
        }
        long told = lastNumber(output);
        try (var store = new RocksSpools(folder.resolve("db"), false)) {
            SensorSpool spool = store.open(KEY);
            Recovered recovered = spool.recover();
            long last = recovered.state().lastSeq();
            assertThat(last).isGreaterThanOrEqualTo(told);
            // Numbers and events are written together: none is missing, and none is there without its state.
            assertThat(seqs(recovered))
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, last).boxed().toList());
            assertThat(spool.read(5, told)).usingRecursiveComparison().isEqualTo(event(told, 5_000));
        }
    }

    private static int lines(Path file) throws IOException {
        return Files.readAllLines(file).size();
    }

    private static long lastNumber(Path file) throws IOException {
        String whole = Files.readString(file);
        // The last line may be cut.
        String[] lines = whole.substring(0, whole.lastIndexOf('\n')).split("\n");
        return Long.parseLong(lines[lines.length - 1].trim());
    }
}
