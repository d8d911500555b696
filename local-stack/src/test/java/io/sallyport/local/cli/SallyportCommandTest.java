package io.sallyport.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jwt.SignedJWT;
import io.sallyport.local.credentials.CredentialFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class SallyportCommandTest {
    @TempDir
    private Path dir;

    @Test
    void shouldDescribeEveryCommandAndEveryOption() {
        var all = new ArrayList<CommandLine>();
        collect(SallyportCommand.commandLine(), all);
        assertThat(all).hasSizeGreaterThan(15);
        for (CommandLine command : all) {
            assertThat(command.getCommandSpec().usageMessage().description())
                    .as(command.getCommandSpec().qualifiedName())
                    .isNotEmpty();
            command.getCommandSpec()
                    .options()
                    .forEach(option -> assertThat(option.description())
                            .as(command.getCommandName() + " " + option.longestName())
                            .isNotEmpty());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "up",
                "status",
                "sim",
                "read",
                "token sensor",
                "token publisher",
                "publish",
                "message",
                "message cancel",
                "sensors",
                "segment put",
                "segment get",
                "segment delete",
                "cert",
                "event-type add",
                "customer add",
                "customer set",
                "customer suspend",
                "customer resume",
                "requeue",
                "replay",
                "start",
                "bench ingest",
                "bench commands"
            })
    void shouldHelpWithEachCommand(String command) {
        var args = new ArrayList<>(List.of(command.split(" ")));
        args.add("--help");
        Invocation run = Invocation.of(args.toArray(String[]::new));
        assertThat(run.exit()).isZero();
        assertThat(run.out()).contains("Usage: sallyport " + command).contains("--data=DIR");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "unheard-of",
                "up --sensors many",
                "up --mtls-port 70000",
                "up --size 65537",
                "read",
                "read structured --from yesterday",
                "read structured --max -1",
                "read structured --timeout soon",
                "token",
                "token sensor",
                "token sensor --customer ../acme",
                "token sensor --customer acme --sensor a/b",
                "token sensor --customer acme --ttl 0",
                "token sensor --customer acme --ttl 1y",
                "token publisher",
                "token publisher --customer ../acme",
                "token publisher --customer acme --ttl 0",
                "token publisher --customer acme --scope everything",
                "publish --customer acme --fleet --type CONFIG_UPDATE",
                "publish --customer acme --fleet --payload x",
                "publish --customer acme --type CONFIG_UPDATE --payload x",
                "publish --customer acme --sensor s-1 --fleet --type CONFIG_UPDATE --payload x",
                "publish --fleet --type CONFIG_UPDATE --payload x",
                "publish --customer acme --fleet --type CONFIG_UPDATE --payload x --ttl soon",
                "publish --customer acme --fleet --type CONFIG_UPDATE --payload x --max-targets many",
                "message m-1",
                "message --customer acme",
                "message cancel --customer acme",
                "message cancel m-1",
                "segment",
                "segment put one --customer acme",
                "segment get --customer acme",
                "segment delete one",
                "cert --customer acme --sensor s-1",
                "cert --customer acme --sensor .. --out x",
                "event-type",
                "event-type add",
                "event-type add 1bad",
                "event-type add Good --number 1",
                "event-type add Good --number 65536",
                "bench",
                "bench commands --sensors 1 --connected 2",
                "bench commands --messages 0",
                "customer add",
                "customer add a..b",
                "customer set acme --bytes-per-day -1",
                "customer set acme --events-per-second many",
                "requeue --kafka nowhere",
                "start nobody",
                "replay",
                "replay --from yesterday",
                "replay --from 2999-01-01T00:00:00Z",
                "replay --from 2999-01-01T00:00:00Z --to 2999-01-02T00:00:00Z",
                "replay --to 2026-01-01T00:00:00Z",
                "replay --from 2026-01-02T00:00:00Z --to 2026-01-01T00:00:00Z",
                "replay --resume --abort",
                "requeue --reason GAP",
                "requeue --reason NONSENSE",
                "requeue --from-offset 5 --to-offset 4",
                "sim --gateway nowhere --customer acme --sensors 1 --events 1",
                "sim --gateway 127.0.0.1:0 --customer acme --sensors 1 --events 1",
                "sim --customer acme",
                "sim --customer acme --sensors 1",
                "sim --customer acme --sensors 1 --events 1 --replay file",
                "sim --customer acme --sensors 0 --events 1",
                "sim --customer acme --sensors 1 --events 1 --nack-share 2",
                "sim --customer acme --sensors 1 --events 1 --codec lz4",
                "sim --customer acme --replay /no/such/file",
                "sim --customer acme --replay /",
                "sim --customer acme --sensors 1 --events 1 --report /no/such/folder/report.json",
                "sim --customer acme --sensors 1 --events 1 --report /",
                // Two spaces: an empty argument between them.
                "sim --customer  --sensors 1 --events 1",
                "read structured --customer  --max 1",
                "read structured --sensor  --max 1",
                "requeue --customer  --json",
                "sensors --customer  --json",
                "message  --customer acme",
                "message m-1 --customer  --json",
                "message a/b --customer acme",
                "message cancel  --customer acme",
                "segment get  --customer acme",
                "segment put one --customer acme --members s-1,,s-2",
                "customer add  --json",
                "token publisher --customer  --json",
                "token publisher --customer acme --subject  --json",
                "cert --customer  --sensor s-1 --out x",
                "publish --customer  --fleet --type CONFIG_UPDATE --payload x",
                "publish --customer acme --sensor  --type CONFIG_UPDATE --payload x",
                "publish --customer acme --fleet --type CONFIG_UPDATE --payload x --msg-id  --json",
                "publish --customer acme --fleet --type CONFIG_UPDATE --payload  --json",
                "publish --customer acme --fleet --type CONFIG_UPDATE --payload @/dev/null",
                "publish --customer acme --fleet --type CONFIG_UPDATE --payload x --empty-payload"
            })
    void shouldAnswerWrongUsageWithTwoAndOneSentence(String line) {
        Invocation run = Invocation.of(line.isEmpty() ? new String[0] : line.split(" "));
        assertThat(run.exit()).as(run.err()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines()).hasSize(2).last().asString().startsWith("try: ./sallyport");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status",
                "read structured --max 1",
                "token sensor --customer acme",
                "token publisher --customer acme",
                "publish --customer acme --fleet --type CONFIG_UPDATE --payload x",
                "message m-1 --customer acme",
                "message cancel m-1 --customer acme",
                "sensors",
                "segment put one --customer acme --members s-1",
                "segment get one --customer acme",
                "cert --customer acme --sensor s-1 --out out",
                "event-type add Good",
                "customer add initech",
                "start broker",
                "requeue",
                "replay --status",
                "sim --customer acme --sensors 1 --events 1"
            })
    void shouldAnswerInOneLineWhereNoStackRuns(String line) {
        var args = new ArrayList<>(List.of(line.split(" ")));
        args.addAll(List.of("--data", dir.resolve("none").toString()));
        Invocation run = Invocation.of(args.toArray(String[]::new));
        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err().lines()).hasSize(1).first().asString().startsWith("sallyport: no ");
    }

    @Test
    void shouldSayWhyItCannotReachAGateway() throws Exception {
        CredentialFolder.openOrCreate(
                dir.resolve("credentials"), Clock.systemUTC().instant());
        Invocation run = inData("sim --gateway 127.0.0.1:1 --customer acme --sensors 1 --events 1 --timeout 1");
        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err().lines())
                .allSatisfy(line ->
                        assertThat(line).startsWith("sallyport: cannot connect to 127.0.0.1:1: connection refused"));
        assertThat(run.err()).isNotEmpty();
    }

    @Test
    void shouldSayInASentenceWhatIsWrongWithAFile() throws Exception {
        CredentialFolder.openOrCreate(
                dir.resolve("credentials"), Clock.systemUTC().instant());
        Path noRecording = Files.writeString(dir.resolve("no.jsonl"), "root:x:0:0\n");
        assertThat(inData("sim --gateway 127.0.0.1:1 --customer acme --replay " + noRecording)
                        .err())
                .startsWith("sallyport: no.jsonl line 1: ");
        Path file = Files.writeString(dir.resolve("file"), "");
        assertThat(inData("cert --customer acme --sensor s-1 --out " + file.resolve("x"))
                        .err()
                        .lines())
                .singleElement()
                .asString()
                .startsWith("sallyport: " + file)
                .doesNotContain("Exception");
        assertThat(Invocation.of("token", "sensor", "--customer", "acme", "--data", file.toString())
                        .err())
                .startsWith("sallyport: ")
                .doesNotContain("Exception");
    }

    private Invocation inData(String line) {
        return Invocation.of((line + " --data " + dir).split(" "));
    }

    @Test
    void shouldSayNotReadyInJsonWhereNoStackRuns() {
        Invocation run = Invocation.of("status", "--json", "--data", dir.toString());
        assertThat(run.exit()).isEqualTo(1);
        assertThat(Action.JSON.readTree(run.out()).get("ready").asBoolean(true)).isFalse();
    }

    @Test
    void shouldPrintATokenAndNothingElse() throws Exception {
        CredentialFolder.openOrCreate(
                dir.resolve("credentials"), Clock.systemUTC().instant());
        Invocation run = Invocation.of(
                "token", "sensor", "--customer", "acme", "--sensor", "s-1", "--ttl", "15m", "--data", dir.toString());
        assertThat(run.exit()).isZero();
        assertThat(run.err()).isEmpty();
        var claims = SignedJWT.parse(run.out().strip()).getJWTClaimsSet();
        assertThat(claims.getSubject()).isEqualTo("s-1");
        assertThat(Duration.between(
                        claims.getIssueTime().toInstant(),
                        claims.getExpirationTime().toInstant()))
                .isEqualTo(Duration.ofMinutes(15));
    }

    @Test
    void shouldPrintATokenOfAPublisherThatOpensNoSensorLink() throws Exception {
        var folder = CredentialFolder.openOrCreate(
                dir.resolve("credentials"), Clock.systemUTC().instant());
        Invocation run = Invocation.of(
                "token", "publisher", "--customer", "acme", "--customer", "globex", "--data", dir.toString());
        assertThat(run.exit()).as(run.err()).isZero();
        var token = SignedJWT.parse(run.out().strip());
        assertThat(token.getJWTClaimsSet().getAudience()).containsExactly("sallyport-publisher");
        assertThat(token.getJWTClaimsSet().getStringListClaim("cust")).containsExactly("acme", "globex");
        assertThat(token.getJWTClaimsSet().getStringClaim("scope")).isEqualTo("commands:publish commands:read");
        String keyId = token.getHeader().getKeyID();
        assertThat(Files.readString(folder.publisherJwks())).contains(keyId);
        assertThat(Files.readString(folder.jwks())).doesNotContain(keyId);
    }

    @Test
    void shouldWriteACertificate() throws Exception {
        CredentialFolder.openOrCreate(
                dir.resolve("credentials"), Clock.systemUTC().instant());
        Path out = dir.resolve("out");
        Invocation run = Invocation.of(
                "cert",
                "--customer",
                "acme",
                "--sensor",
                "s-1",
                "--out",
                out.toString(),
                "--json",
                "--data",
                dir.toString());
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(Action.JSON.readTree(run.out()).get("uri").asString()).isEqualTo("sensor://acme/s-1");
        assertThat(Files.list(out).map(file -> file.getFileName().toString()))
                .containsExactlyInAnyOrder("cert.pem", "key.pem", "ca.pem");
    }

    @Test
    void shouldTakeDefaultsFromTheEnvironmentAndArgumentsBeforeThem() throws Exception {
        CredentialFolder.openOrCreate(
                dir.resolve("credentials"), Clock.systemUTC().instant());
        var environment = Map.of("SALLYPORT_DATA", dir.toString(), "SALLYPORT_CUSTOMER", "acme", "SALLYPORT_TTL", "1h");
        CommandLine commandLine =
                SallyportCommand.commandLine().setDefaultValueProvider(new EnvironmentDefaults(environment));
        Invocation run = Invocation.of(commandLine, "token", "sensor", "--customer", "globex", "--json");
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(Action.JSON.readTree(run.out()).get("customer_id").asString())
                .isEqualTo("globex");
    }

    @Test
    void shouldNameVariablesAfterTheirOptions() {
        assertThat(EnvironmentDefaults.variable("--kafka-port")).isEqualTo("SALLYPORT_KAFKA_PORT");
    }

    private static void collect(CommandLine command, List<CommandLine> all) {
        if (!command.getCommandName().equals("help")) {
            all.add(command);
            command.getSubcommands().values().forEach(sub -> collect(sub, all));
        }
    }
}
