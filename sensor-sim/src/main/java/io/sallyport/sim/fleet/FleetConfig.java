package io.sallyport.sim.fleet;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How a fleet runs.
 *
 * @param link how the sensors come to their gateways
 * @param customerId tenant of all sensors
 * @param sensors how many; ignored with {@link Workload.Replay}, where the file names them
 * @param sensorPrefix sensor ids are this and a number from 0
 * @param credentials of each sensor
 * @param workload what they send
 * @param codec codec number of each batch, see {@code BatchHeader}
 * @param prioritySplit sends ProcessStart and the network types in batches of their own before the rest
 * @param spoolDir folder of the durable spools; empty keeps them in memory, and a restarted process starts new sensors
 * @param refuseShare share of messages that a sensor refuses with a NACK, 0 … 1
 */
public record FleetConfig(
        FleetLink link,
        String customerId,
        int sensors,
        String sensorPrefix,
        CredentialSource credentials,
        Workload workload,
        int codec,
        boolean prioritySplit,
        Optional<Path> spoolDir,
        double refuseShare) {

    /** A fleet that comes to one gateway as {@link FleetLink#to} says. */
    public FleetConfig(
            InetSocketAddress gateway,
            String customerId,
            int sensors,
            String sensorPrefix,
            CredentialSource credentials,
            Workload workload,
            int codec,
            boolean prioritySplit,
            Optional<Path> spoolDir,
            double refuseShare) {
        this(
                FleetLink.to(gateway),
                customerId,
                sensors,
                sensorPrefix,
                credentials,
                workload,
                codec,
                prioritySplit,
                spoolDir,
                refuseShare);
    }

    /** The first of the gateways. */
    public InetSocketAddress gateway() {
        return link.gateways().get(0);
    }
}
