package io.sallyport.e2e.commands;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.link.v1.Message;
import io.sallyport.sim.fleet.MessageListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Every message that the sensors of a fleet took, in the order in which each of them did. */
final class Taken implements MessageListener {
    record One(String sensor, Message message, Outcome outcome) {}

    private final List<One> all = new CopyOnWriteArrayList<>();

    @Override
    public void taken(SensorKey sensor, Message message, Outcome outcome) {
        all.add(new One(sensor.sensorId(), message, outcome));
    }

    List<One> applied() {
        return all.stream().filter(one -> one.outcome() == Outcome.APPLIED).toList();
    }

    /** Ids of the messages that a sensor applied. */
    List<String> appliedBy(String sensor) {
        return applied().stream()
                .filter(one -> one.sensor().equals(sensor))
                .map(one -> one.message().getMsgId())
                .toList();
    }

    /** Sensors that applied a message, one entry for each time. */
    List<String> sensorsOf(String msgId) {
        return applied().stream()
                .filter(one -> one.message().getMsgId().equals(msgId))
                .map(One::sensor)
                .toList();
    }
}
