package io.sallyport.local.cli;

import io.sallyport.local.stack.StackPorts;
import picocli.CommandLine.Option;

/** Ports of a stack; 0 takes one that is free, and the other commands find it all the same. */
final class PortOptions {
    @Option(
            names = "--kafka-port",
            paramLabel = "PORT",
            defaultValue = "9092",
            description = "Kafka (default: ${DEFAULT-VALUE}; 0 = any free port)")
    private int kafka;

    @Option(
            names = "--mtls-port",
            paramLabel = "PORT",
            defaultValue = "7443",
            description = "sensor link with client certificates (default: ${DEFAULT-VALUE}; 0 = any free port)")
    private int mtls;

    @Option(
            names = "--token-port",
            paramLabel = "PORT",
            defaultValue = "7444",
            description = "sensor link with tokens (default: ${DEFAULT-VALUE}; 0 = any free port)")
    private int token;

    @Option(
            names = "--rest-port",
            paramLabel = "PORT",
            defaultValue = "8080",
            description = "publishing over HTTP (default: ${DEFAULT-VALUE}; 0 = any free port)")
    private int rest;

    @Option(
            names = "--grpc-port",
            paramLabel = "PORT",
            defaultValue = "9090",
            description = "publishing over gRPC (default: ${DEFAULT-VALUE}; 0 = any free port)")
    private int grpc;

    @Option(
            names = "--management-port",
            paramLabel = "PORT",
            defaultValue = "8101",
            description = "health and metrics of session-service; the other services have the next three"
                    + " (default: ${DEFAULT-VALUE}; 0 = any free ports)")
    private int management;

    /** Empty where all are in range; otherwise what is wrong. */
    String problem() {
        for (int port : new int[] {kafka, mtls, token, rest, grpc, management}) {
            if (port < 0 || port > 65_000) {
                return "a port must be 0 to 65000, not " + port;
            }
        }
        return "";
    }

    StackPorts ports() {
        return new StackPorts(kafka, mtls, token, rest, grpc, management);
    }
}
