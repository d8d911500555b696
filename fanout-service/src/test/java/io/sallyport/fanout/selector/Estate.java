package io.sallyport.fanout.selector;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.fanout.core.Answer;
import io.sallyport.fanout.core.MetadataIndex;
import io.sallyport.fanout.core.Refusal;
import io.sallyport.fanout.core.SensorSet;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.log.v1.EndpointMetadata;
import io.sallyport.proto.log.v1.SessionEntry;
import io.sallyport.proto.log.v1.SessionState;
import java.util.List;

/** The sensors of one customer, and selectors asked of them. */
final class Estate {
    static final long NOW_US = 1_790_000_000_000_000L;

    private final MetadataIndex index = new MetadataIndex();
    private final AntlrSelectorParser parser = new AntlrSelectorParser();
    private long version = 1;

    Estate with(String sensor, HostMetadata.Builder host) {
        return with(sensor, host, NOW_US - 3_600_000_000L);
    }

    Estate with(String sensor, HostMetadata.Builder host, long seenUs) {
        var key = new SensorKey("acme", sensor);
        index.describe(
                key,
                EndpointMetadata.newBuilder()
                        .setCustomerId("acme")
                        .setSensorId(sensor)
                        .setVersion(version++)
                        .setHost(host)
                        .setAtUs(seenUs)
                        .build());
        return this;
    }

    Estate registered(String sensor) {
        index.describe(new SensorKey("acme", sensor), EndpointMetadata.getDefaultInstance());
        return this;
    }

    Estate connected(String sensor, int node) {
        index.session(
                new SensorKey("acme", sensor),
                SessionEntry.newBuilder()
                        .setSessionId(version++)
                        .setState(SessionState.SESSION_CONNECTED)
                        .setNode(node)
                        .setAtUs(NOW_US - 7_200_000_000L)
                        .build());
        return this;
    }

    Estate sign(int node, long atUs) {
        index.nodeSign(node, atUs);
        return this;
    }

    MetadataIndex index() {
        return index;
    }

    Answer<SensorSet> ask(String text) {
        return parser.parse(text).then(selector -> index.select("acme", selector, NOW_US));
    }

    List<String> select(String text) {
        if (ask(text) instanceof Answer.Given<SensorSet> given) {
            return given.value().range(0, 1_000);
        }
        throw new AssertionError(text + ": " + refusal(text));
    }

    Refusal refusal(String text) {
        return ((Answer.Refused<SensorSet>) ask(text)).refusal();
    }
}
