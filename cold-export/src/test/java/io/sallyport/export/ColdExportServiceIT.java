package io.sallyport.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sallyport.broker.TestBroker;
import io.sallyport.export.kafka.TestTopics;
import io.sallyport.export.manifest.ManifestHeads;
import io.sallyport.export.s3.S3Server;
import io.sallyport.export.s3.S3Store;
import io.sallyport.export.store.LocalStore;
import io.sallyport.export.work.TestExport;
import io.sallyport.proto.log.v1.StructuredRecord;
import io.sallyport.topics.TopicMismatchException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

class ColdExportServiceIT {
    @TempDir
    Path folder;

    private ConfigurableApplicationContext start(String... more) {
        var arguments = new ArrayList<>(List.of(
                "--spring.config.name=cold-export",
                "--server.port=0",
                "--sallyport.export.cell=test",
                "--sallyport.export.bootstrap-servers=" + TestBroker.shared().bootstrapServers(),
                "--sallyport.export.folder=" + folder.resolve("lake"),
                "--sallyport.export.scratch-dir=" + folder.resolve("scratch")));
        arguments.addAll(List.of(more));
        return new SpringApplicationBuilder(ColdExportApplication.class).run(arguments.toArray(String[]::new));
    }

    private static String address(ConfigurableApplicationContext service) {
        return "http://127.0.0.1:" + service.getEnvironment().getProperty("local.server.port") + "/actuator/";
    }

    private static String send(String method, String address) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(address))
                .method(method, BodyPublishers.noBody())
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    }

    private Path read() throws IOException {
        return Files.createDirectories(folder.resolve("read"));
    }

    private static void publish(int seed) {
        var random = new Random(seed);
        for (TestTopics topics : TestTopics.all()) {
            topics.log().addSome(random, 30 + random.nextInt(60));
            topics.publish();
        }
    }

    @Test
    void shouldExportWhatIsThereOnRequestAndGoOnAfterARestart() throws Exception {
        publish(1);
        try (var service = start()) {
            String base = address(service);
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() ->
                            assertThat(send("GET", base + "health/readiness")).contains("\"UP\""));
            assertThat(send("POST", base + "export"))
                    .contains("\"unfinished\":0")
                    .contains("\"shards\":8");
            // Nothing new: no empty version.
            assertThat(send("POST", base + "export")).contains("\"versions\":0");
            assertThat(send("GET", base + "prometheus"))
                    .contains("sallyport_export_versions_total{kind=\"export\"} 8.0")
                    .contains("sallyport_export_rows_total{customer=\"acme\",kind=\"export\"}")
                    .contains("sallyport_export_file_bytes_count")
                    .contains("sallyport_export_lag_records{shard=\"0\"} 0.0");
        }
        publish(2);
        var store = new LocalStore(folder.resolve("lake"));
        try (var service = start()) {
            assertThat(send("POST", address(service) + "export")).contains("\"unfinished\":0");
            for (TestTopics topics : TestTopics.all()) {
                TestExport.assertComplete(store, topics.log(), read());
            }
            assertThat(ManifestHeads.read(store, 8).heads()).hasSize(8);
            checkWithDuckDb();
            assertThat(send("DELETE", address(service) + "export/globex")).contains("\"shardsLeft\":[]");
            assertThat(store.list("structured/customer=globex/", "")).isEmpty();
            assertThat(store.list("structured/customer=acme/", "")).isNotEmpty();
        }
        assertThat(folder.resolve("scratch")).isEmptyDirectory();
    }

    @Test
    void shouldExportToABucketByAgeAlone() throws Exception {
        publish(3);
        try (var server = new S3Server()) {
            S3Store.Location bucket = server.bucket();
            try (var service = start(
                            "--sallyport.export.rotation=200ms",
                            "--sallyport.export.threads=2",
                            "--sallyport.export.s3.bucket=" + bucket.bucket(),
                            "--sallyport.export.s3.prefix=" + bucket.prefix(),
                            "--sallyport.export.s3.endpoint=" + bucket.endpoint(),
                            "--sallyport.export.s3.access-key=key",
                            "--sallyport.export.s3.secret-key=secret");
                    var store = new S3Store(bucket)) {
                for (TestTopics topics : TestTopics.all()) {
                    await().atMost(Duration.ofSeconds(60))
                            .untilAsserted(() -> assertThat(
                                            TestExport.chain(store, topics.log().shard()).stream()
                                                    .mapToLong(manifest -> manifest.rows())
                                                    .sum())
                                    .isEqualTo(topics.log().records().size()));
                    TestExport.assertComplete(store, topics.log(), read());
                }
                assertThat(service.isRunning()).isTrue();
            }
        }
    }

    @Test
    void shouldRefuseTopicsOfAnotherSize() {
        assertThatThrownBy(() -> start("--sallyport.export.sizing=cell").close())
                .hasRootCauseInstanceOf(TopicMismatchException.class);
    }

    private void checkWithDuckDb() throws Exception {
        try (var lake = new DuckDb(folder.resolve("lake"))) {
            Map<String, byte[]> payloads = new HashMap<>();
            long events = 0;
            long markers = 0;
            for (TestTopics topics : TestTopics.all()) {
                for (StructuredRecord row : topics.log().records()) {
                    if (row.hasEvent()) {
                        events++;
                        payloads.put(
                                topics.log().shard() + "/"
                                        + row.getEvent().getOrigin().getPos(),
                                row.getEvent().getPayload().toByteArray());
                    } else {
                        markers++;
                    }
                }
            }
            assertThat(lake.number("select count(*) from rows where kind = 'event'"))
                    .isEqualTo(events);
            assertThat(lake.number("select count(*) from rows where kind = 'marker'"))
                    .isEqualTo(markers);
            assertThat(lake.number("select count(distinct (customer_id, sensor_id, epoch, seq, shard)) from rows"
                            + " where kind = 'event'"))
                    .isEqualTo(events);
            // What the path says is what the row says.
            assertThat(lake.number("select count(*) from rows where customer <> customer_id"
                            + " or date <> strftime(make_timestamp(coalesce(ingest_ts_us, marker_at_us)), '%Y-%m-%d')"))
                    .isZero();
            Map<String, byte[]> found =
                    lake.bytes("select shard || '/' || pos, payload from rows where kind = 'event'");
            assertThat(found).hasSameSizeAs(payloads);
            found.forEach((row, payload) -> assertThat(payload).as(row).isEqualTo(payloads.get(row)));
            assertThat(lake.number("select sum(len(marker_ranges)) from rows where kind = 'marker'"
                            + " and marker_reason_name = 'GAP'"))
                    .isEqualTo(markers);
            // Two columns are read, and no other.
            assertThat(lake.text("explain select sensor_id, seq from rows where customer = 'acme'"))
                    .contains("sensor_id")
                    .contains("seq")
                    .doesNotContain("payload");
            assertThat(lake.number("select count(*) from meta where compression <> 'ZSTD'"))
                    .isZero();
            assertThat(lake.number("select count(*) from meta where path_in_schema = 'sensor_id'"
                            + " and (bloom_filter_offset is null or stats_min_value is null)"))
                    .isZero();
            assertThat(lake.number("select count(*) from meta where path_in_schema = 'customer_id'"
                            + " and encodings not like '%DICTIONARY%'"))
                    .isZero();
        }
    }
}
