package io.sallyport.local.cli;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.local.credentials.DevCredentials;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "cert",
        description = "Writes cert.pem, key.pem and ca.pem of a sensor, for the mtls listener of the local stack.")
final class CertCommand extends Action {
    @Mixin
    private final JsonOption json = new JsonOption();

    @Option(
            names = "--customer",
            paramLabel = "C",
            converter = Values.Id.class,
            required = true,
            description = "the sensor's tenant")
    private String customer = "";

    @Option(names = "--sensor", paramLabel = "S", converter = Values.Id.class, required = true, description = "its id")
    private String sensor = "";

    @Option(names = "--out", paramLabel = "DIR", required = true, description = "folder to write to")
    private Path out = Path.of("");

    @Option(
            names = "--ttl",
            paramLabel = "T",
            defaultValue = "24h",
            converter = Values.Time.class,
            description = "how long it is valid, such as 90s, 15m or 24h (default: ${DEFAULT-VALUE})")
    private Duration ttl = DevCredentials.DEFAULT_LIFE;

    @Override
    int execute() throws Exception {
        var key = new SensorKey(customer, sensor);
        if (ttl.toSeconds() < 1) {
            throw usage("--ttl must be at least one second");
        }
        Instant now = Clock.systemUTC().instant();
        Path folder = out.toAbsolutePath().normalize();
        credentials().writeCertificate(key, folder, now, ttl);
        if (!json.wanted()) {
            out().println("wrote cert.pem, key.pem and ca.pem to " + folder);
            return DONE;
        }
        var result = new LinkedHashMap<String, String>();
        result.put("cert", folder.resolve("cert.pem").toString());
        result.put("key", folder.resolve("key.pem").toString());
        result.put("ca", folder.resolve("ca.pem").toString());
        result.put("uri", key.uriSan());
        result.put("expires_at", now.plus(ttl).toString());
        out().println(JSON.writeValueAsString(result));
        return DONE;
    }
}
