package io.sallyport.session.netty;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.session.core.AlertKind;
import io.sallyport.session.core.Outliers;
import io.sallyport.session.metrics.GatewayMetrics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Compares the sensors of each customer on this node with each other, and names those that stand out, once for each
 * session. A sensor costs one counter while it is connected; none becomes a label of a metric.
 */
final class SensorVolumes {
    private final GatewayMetrics metrics;
    private final Set<SensorVolume> sessions = ConcurrentHashMap.newKeySet();

    SensorVolumes(GatewayMetrics metrics) {
        this.metrics = metrics;
    }

    SensorVolume begin(SensorKey sensor) {
        var volume = new SensorVolume(sensor);
        sessions.add(volume);
        return volume;
    }

    void end(SensorVolume volume) {
        sessions.remove(volume);
    }

    /** To be called by one thread, at even intervals. */
    void look() {
        Map<String, List<Outliers.Volume<SensorVolume>>> fleets = new HashMap<>();
        for (SensorVolume volume : sessions) {
            long bytes = volume.sinceLastLook();
            if (bytes >= 0) {
                fleets.computeIfAbsent(volume.sensor().customerId(), customer -> new ArrayList<>())
                        .add(new Outliers.Volume<>(volume, bytes));
            }
        }
        fleets.values().forEach(fleet -> {
            Outliers.Found<SensorVolume> found = Outliers.find(fleet);
            for (Outliers.Volume<SensorVolume> outlier : found.outliers()) {
                if (outlier.sensor().isNews()) {
                    metrics.alert(
                            AlertKind.SENSOR_OUTLIER,
                            outlier.sensor().sensor(),
                            outlier.bytes() + " bytes, half of the fleet's " + fleet.size() + " sensors here at most "
                                    + found.medianBytes());
                }
            }
        });
    }
}
