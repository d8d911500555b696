package io.sallyport.export.config;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.export.kafka.ExportNow;
import io.sallyport.export.manifest.CustomerFiles;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * For operators, on the management port: {@code POST /actuator/export} exports what is in the log now, by this process;
 * {@code GET /actuator/export/CUSTOMER} lists what there is of a customer;
 * {@code DELETE /actuator/export/CUSTOMER} removes a customer's files from all shards.
 */
@Endpoint(id = "export")
public class ExportEndpoint {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final ExportWorkers workers;

    ExportEndpoint(ExportWorkers workers) {
        this.workers = workers;
    }

    @WriteOperation
    public ExportNow.Result now() throws InterruptedException {
        return workers.exportNow(TIMEOUT);
    }

    @ReadOperation
    public CustomerFiles files(@Selector String customer) throws IOException {
        return workers.filesOf(checked(customer));
    }

    /** @return shards that are left: another version was in the way all the time, so it has to be asked again */
    @DeleteOperation
    public Map<String, List<Integer>> erase(@Selector String customer) throws IOException, InterruptedException {
        return Map.of("shardsLeft", workers.erase(checked(customer), TIMEOUT));
    }

    private static String checked(String customer) {
        if (!SensorKey.isValidId(customer)) {
            throw new InvalidEndpointRequestException("not a customer id", "not a customer id");
        }
        return customer;
    }
}
