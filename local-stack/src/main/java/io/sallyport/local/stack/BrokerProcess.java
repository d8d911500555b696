package io.sallyport.local.stack;

import io.sallyport.broker.KraftBroker;
import java.nio.file.Path;

/** The broker of a stack of processes: arguments are the data folder and the port. SIGTERM stops it cleanly. */
public final class BrokerProcess {
    private BrokerProcess() {}

    public static void main(String[] args) throws Exception {
        var data = new DataFolder(Path.of(args[0]));
        StackLogs.toFile(data.logs(), Endpoints.BROKER);
        KraftBroker broker = KraftBroker.start(data.kafka(), Integer.parseInt(args[1]));
        Runtime.getRuntime().addShutdownHook(new Thread(broker::close, "stop-broker"));
        broker.awaitShutdown();
    }
}
