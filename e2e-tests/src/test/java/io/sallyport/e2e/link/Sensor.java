package io.sallyport.e2e.link;

import io.sallyport.e2e.link.proto.SensorStart;
import java.util.concurrent.atomic.AtomicInteger;

/** A name pair. Each test takes names of its own, so that no state of another test is met. */
record Sensor(String customerId, String sensorId) {
    static final String CUSTOMER = "acme";
    static final String OTHER_CUSTOMER = "globex";

    private static final AtomicInteger NUMBER = new AtomicInteger();

    static Sensor fresh(String what) {
        return new Sensor(CUSTOMER, what + "-" + NUMBER.incrementAndGet());
    }

    static Sensor freshOfOtherCustomer(String what) {
        return new Sensor(OTHER_CUSTOMER, what + "-" + NUMBER.incrementAndGet());
    }

    String uri() {
        return "sensor://" + customerId + "/" + sensorId;
    }

    /** What a newly installed sensor says. */
    SensorStart.Builder start() {
        return SensorStart.newBuilder()
                .setProtocolVersion(1)
                .setCustomerId(customerId)
                .setSensorId(sensorId)
                .setNextSeq(1);
    }

    /** What a sensor with an epoch says. */
    SensorStart.Builder start(int epoch, long watermark, long nextSeq, long lastSessionId) {
        return start().setEpoch(epoch)
                .setWatermark(watermark)
                .setNextSeq(nextSeq)
                .setLastSessionId(lastSessionId);
    }
}
