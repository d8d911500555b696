package io.sallyport.e2e.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sallyport.envelope.link.BatchHeader;
import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.export.core.Catalog;
import io.sallyport.export.core.FileEntry;
import io.sallyport.export.manifest.ManifestChain;
import io.sallyport.export.parquet.RowFileReader;
import io.sallyport.export.store.LocalStore;
import io.sallyport.local.cli.SallyportCommand;
import io.sallyport.local.credentials.CredentialFolder;
import io.sallyport.local.credentials.DevCredentials;
import io.sallyport.local.stack.DataFolder;
import io.sallyport.local.stack.Endpoints;
import io.sallyport.local.stack.NormalizerProgress;
import io.sallyport.local.stack.ProcessStack;
import io.sallyport.local.stack.StackPorts;
import io.sallyport.local.stack.StackSettings;
import io.sallyport.normalizer.generation.SnapshotReader;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.StructuredRecord;
import io.sallyport.sim.fleet.Fleet;
import io.sallyport.sim.fleet.FleetConfig;
import io.sallyport.sim.fleet.Workload;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A normalizer that corrupts records and its own stores is deployed, rolled back, and what it did is replaced. */
class BadDeployIT {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final String CUSTOMER = "acme";
    private static final double EVENTS_PER_S = 90;
    /** That each of the builds gets to see, good or bad. */
    private static final long ENOUGH = 360;

    @TempDir
    static Path dir;

    @Test
    void shouldEndWithTheRightSetForConsumersExportAndVerifier() throws Exception {
        var data = new DataFolder(dir);
        var settings = new StackSettings(
                data,
                StackPorts.FREE,
                Map.of(
                        "sallyport.normalizer.snapshot-interval", "1s",
                        "sallyport.export.maintenance.every", "1s",
                        "sallyport.export.maintenance.deletion-delay", "0s"));
        try (var stack = ProcessStack.start(settings)) {
            String kafka = stack.endpoints().bootstrapServers();
            var log = new Log(kafka);
            Instant deployed;
            long acknowledged;
            try (var fleet = Fleet.start(fleet(data, stack.endpoints()))) {
                await().atMost(PATIENCE).until(() -> fleet.report().eventsAcked() >= ENOUGH);
                awaitSnapshots(kafka);
                stack.stopPart(Endpoints.NORMALIZER_SERVICE);
                deployed = Instant.now();
                long before = fleet.report().eventsAcked();
                try (var bad = BadBuild.start(kafka, data.state().resolve(Endpoints.NORMALIZER_SERVICE))) {
                    await().atMost(PATIENCE).until(() -> fleet.report().eventsAcked() >= before + ENOUGH);
                    await().atMost(PATIENCE).until(() -> log.current().containsValue(BadBuild.SCRAMBLED));
                }
                ProcessStack.startPart(data, Endpoints.NORMALIZER_SERVICE);
                assertThat(run(
                                        "replay",
                                        "--from",
                                        deployed.toString(),
                                        "--to",
                                        Instant.now().toString())
                                .exit)
                        .as("a dry run finds differences")
                        .isEqualTo(3);
                assertThat(run("export").exit)
                        .as("what is wrong is exported too")
                        .isZero();

                long atBegin = fleet.report().eventsAcked();
                Result replay = run("replay", "--from", deployed.toString());
                long atEnd = fleet.report().eventsAcked();

                assertThat(replay.exit).as(replay.out).isZero();
                assertThat(replay.out).contains("generation 1 is live");
                assertThat(atEnd).as("sensors were served meanwhile").isGreaterThan(atBegin);
                await().atMost(PATIENCE).until(() -> fleet.report().eventsAcked() >= atEnd + ENOUGH);
                acknowledged = fleet.report().eventsAcked();
            }
            awaitHandled(kafka);
            assertThat(run(
                            "replay",
                            "--from",
                            deployed.toString(),
                            "--to",
                            Instant.now().toString()))
                    .as("nothing is left to be replayed")
                    .matches(result -> result.exit == 0);
            Map<String, String> sent = log.sent();
            assertThat(sent).as("what was acknowledged").hasSizeGreaterThanOrEqualTo((int) acknowledged);
            assertThat(log.current()).as("a consumer").isEqualTo(sent);

            assertThat(run("export").exit).isZero();
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .untilAsserted(
                            () -> assertThat(exported(data)).as("the export").isEqualTo(sent));
            assertThat(run("export", "--now").exit).isZero();
            Path pin = dir.resolve("pin");
            assertThat(run("checkpoint", "--out", pin.toString()).exit).isZero();
            Result fromLog = run("verify", "--from-log", "--pin", pin.toString());
            assertThat(fromLog.exit).as(fromLog.out).isZero();
            assertThat(fromLog.out).contains("generation 0").contains("generation 1");
            Result fromExport = run("verify", "--from-export", "--pin", pin.toString());
            assertThat(fromExport.exit).as(fromExport.out).isZero();
        }
    }

    private static FleetConfig fleet(DataFolder data, Endpoints endpoints) throws Exception {
        var credentials = CredentialFolder.open(data.credentials());
        return new FleetConfig(
                endpoints.tokenAddress(),
                CUSTOMER,
                8,
                "s-",
                new DevCredentials(credentials, DevCredentials.Mode.TOKEN, Clock.systemUTC()),
                new Workload.Endless(EVENTS_PER_S, 200),
                BatchHeader.CODEC_NONE,
                false,
                Optional.of(data.sim().resolve(CUSTOMER)),
                0);
    }

    /** Every shard with something in it can be derived again from its newest state. */
    private static void awaitSnapshots(String kafka) {
        var snapshots = new SnapshotReader(kafka);
        var log = new Log(kafka);
        for (int shard = 0; shard < TopicSizing.LOCAL.shardsMax(); shard++) {
            int number = shard;
            if (!log.read("raw", shard).isEmpty()) {
                await().atMost(PATIENCE).until(() -> !snapshots.list(number).isEmpty());
            }
        }
    }

    private static void awaitHandled(String kafka) {
        try (var progress = new NormalizerProgress(kafka)) {
            await().atMost(PATIENCE).until(() -> progress.lag() == 0);
        }
    }

    /** Every event in the files that a reader of the table finds. */
    private static Map<String, String> exported(DataFolder data) throws Exception {
        var events = new ArrayList<Envelope>();
        try (var store = new LocalStore(data.export())) {
            for (int shard : ManifestChain.shards(store)) {
                var chain = new ManifestChain(store, shard);
                var catalog = new Catalog();
                for (long version = 0; version <= chain.load().head().version(); version++) {
                    catalog.apply(chain.manifest(version).orElseThrow());
                }
                for (FileEntry file : catalog.files()) {
                    if (file.path().startsWith("structured/")) {
                        events.addAll(events(data.export().resolve(file.path())));
                    }
                }
            }
        }
        return Log.byIdentity(events);
    }

    private static List<Envelope> events(Path file) throws Exception {
        var events = new ArrayList<Envelope>();
        try (var rows = new RowFileReader(file)) {
            for (Optional<StructuredRecord> row = rows.next(); row.isPresent(); row = rows.next()) {
                if (row.get().hasEvent()) {
                    events.add(row.get().getEvent());
                }
            }
        }
        return events;
    }

    private record Result(int exit, String out) {}

    private static Result run(String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--data", dir.toString()));
        var out = new StringWriter();
        int exit = SallyportCommand.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(out))
                .execute(all.toArray(String[]::new));
        return new Result(exit, out.toString());
    }
}
