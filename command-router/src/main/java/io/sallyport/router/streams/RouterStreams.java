package io.sallyport.router.streams;

import io.sallyport.edge.streams.RunningTopology;
import io.sallyport.edge.streams.StreamsMember;
import io.sallyport.envelope.topic.Topics;
import java.util.Properties;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.streams.StreamsConfig;

/** The router's topology as a member of its group. */
public final class RouterStreams {
    public static final String APPLICATION_ID = "sallyport-command-router";

    private static final int MOST_REPLACED = 20;
    private static final int POLL_MS = 20;
    private static final long CACHE_BYTES = 32L << 20;

    private RouterStreams() {}

    /** @param onGivingUp called on a stream thread, when no thread is replaced any more */
    public static RunningTopology of(StreamsMember member, RouterTopology.Parts parts, Runnable onGivingUp) {
        return new RunningTopology(
                "the command router",
                () -> RouterTopology.build(member.sizing(), parts),
                config(member),
                MOST_REPLACED,
                failure -> parts.meters().threadFailed(),
                onGivingUp);
    }

    private static Properties config(StreamsMember member) {
        Properties p = member.config(APPLICATION_ID);
        p.put(StreamsConfig.POLL_MS_CONFIG, POLL_MS);
        p.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, CACHE_BYTES);
        // A push leaves at once; under load the records that gather meanwhile share a request all the same.
        p.put(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), 0);
        p.put(
                StreamsConfig.producerPrefix(ProducerConfig.MAX_REQUEST_SIZE_CONFIG),
                Topics.SESSION_PUSH.maxMessageBytes());
        return p;
    }
}
