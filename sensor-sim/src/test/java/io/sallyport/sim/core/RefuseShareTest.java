package io.sallyport.sim.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.link.v1.Message;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which sensors refuse which messages, where a share of the messages is to be refused. */
class RefuseShareTest {
    private static final int SENSORS = 500;
    private static final SensorSettings SETTINGS = SensorSettings.DEFAULTS.withRefuseShare(0.1);

    @Test
    void shouldRefuseEachMessageAtAboutTheShareOfTheSensors() {
        List<SensorCore> sensors = IntStream.range(0, SENSORS)
                .mapToObj(i -> open(new SensorKey("acme", "sim-" + i)))
                .toList();
        for (String msgId :
                new String[] {"m-1", "m-2", "policy-9", "isolate-1", "0f2c7f5e-8d1b-4a53-9a39-2f1f0f8f3c11"}) {
            long refused =
                    sensors.stream().filter(sensor -> refuses(sensor, msgId)).count();
            assertThat(refused).as(msgId).isBetween(SENSORS / 20L, SENSORS / 5L);
        }
    }

    @Test
    void shouldRefuseAtOneSensorAboutTheShareOfTheMessages() {
        SensorCore sensor = open(new SensorKey("acme", "sim-0"));
        long refused =
                IntStream.range(0, 500).filter(i -> refuses(sensor, "m-" + i)).count();
        assertThat(refused).isBetween(25L, 100L);
    }

    @Test
    void shouldDecideTheSameAfterItsMemoryIsLost() {
        for (int i = 0; i < 50; i++) {
            var key = new SensorKey("acme", "sim-" + i);
            assertThat(refuses(open(key), "m-1")).isEqualTo(refuses(open(key), "m-1"));
        }
    }

    private static SensorCore open(SensorKey key) {
        var core = new SensorCore(
                key, HostMetadata.getDefaultInstance(), SETTINGS, new Recovered(SensorState.NEW, List.of(), List.of()));
        var out = new ArrayList<Effect>();
        core.timer(1, out);
        core.connected("", 1, out);
        var accept = Accept.newBuilder().setEpoch(1).build();
        core.frame(FrameType.ACCEPT, ByteBuffer.wrap(accept.toByteArray()), 1, out);
        assertThat(core.isOpen()).isTrue();
        return core;
    }

    private static boolean refuses(SensorCore core, String msgId) {
        var out = new ArrayList<Effect>();
        var message = Message.newBuilder().setMsgId(msgId).build();
        core.frame(FrameType.MESSAGE, ByteBuffer.wrap(message.toByteArray()), 2, out);
        return out.stream()
                .anyMatch(effect -> effect instanceof Effect.Send send && send.type() == FrameType.MESSAGE_NACK);
    }
}
