package io.sallyport.session.link;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sallyport.edge.alerts.Alerts;
import io.sallyport.envelope.link.FrameType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** One sensor that brings in far more than the rest of its fleet is an event with its name, once. */
class OutlierIT {

    @Test
    void shouldNameTheSensorThatStandsOut() throws Exception {
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        var alerts = (Logger) LoggerFactory.getLogger(Alerts.class);
        alerts.addAppender(lines);
        var settings = TestGateway.with();
        settings.volumeLookMs = 300;
        var fleet = new ArrayList<SensorSocket>();
        try (TestGateway gateway = settings.start()) {
            for (int i = 0; i < 6; i++) {
                fleet.add(gateway.session("outlier-" + i));
            }
            SensorSocket greedy = fleet.get(3);
            // More looks than one: known already, it is no news.
            for (int batch = 0; batch < 1_000 && (outliers(gateway) == 0 || batch < 20); batch++) {
                long from = 1 + batch * 50L;
                // 3 MB of zeroes in a few hundred bytes.
                greedy.send(FrameType.BATCH, Wire.zstdBatch(1, batch, from, from + 49, 60_000));
                greedy.readAckUpTo(from + 49);
            }
            assertThat(outliers(gateway)).isEqualTo(1);
        } finally {
            alerts.detachAppender(lines);
            for (SensorSocket sensor : fleet) {
                sensor.close();
            }
        }
        assertThat(List.copyOf(lines.list))
                .singleElement()
                .satisfies(line ->
                        assertThat(line.getFormattedMessage()).startsWith("alert SENSOR_OUTLIER: acme/outlier-3: "));
    }

    private static double outliers(TestGateway gateway) {
        return gateway.counted("sallyport.alerts", "kind", "SENSOR_OUTLIER");
    }
}
