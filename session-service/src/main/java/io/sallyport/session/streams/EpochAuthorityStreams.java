package io.sallyport.session.streams;

import io.sallyport.edge.streams.RunningTopology;
import io.sallyport.edge.streams.StreamsMember;
import io.sallyport.envelope.topic.TopicSizing;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.kafka.streams.StreamsConfig;

/** The epoch authority's topology as a member of its group. */
public final class EpochAuthorityStreams {
    public static final String APPLICATION_ID = "sallyport-epoch-authority";

    private static final int MOST_REPLACED = 20;
    /**
     * An answer is seen when it is committed: a lone claim at once, since the last commit is longer ago than this; a
     * storm of them in transactions of this length.
     */
    private static final int COMMIT_INTERVAL_MS = 5;
    /** How long the thread waits for input before it looks whether a commit is due. */
    private static final int POLL_MS = 20;

    private EpochAuthorityStreams() {}

    /**
     * @param node ordinal of this node
     * @param stateDir its own folder below it is made
     * @param rack of the brokers that are near; empty where there is none
     */
    public static StreamsMember member(
            String bootstrapServers, int node, Path stateDir, String rack, TopicSizing sizing) {
        return new StreamsMember(
                bootstrapServers, Integer.toString(node), stateDir, rack, 1, COMMIT_INTERVAL_MS, sizing);
    }

    /**
     * Where it gives up the node goes on: another one's authority takes over, and sensors that resume need none. So neither
     * readiness nor liveness tells of it, but a gauge that an alert goes by.
     */
    public static RunningTopology of(StreamsMember member, EpochMeters meters) {
        var running = new RunningTopology(
                "the epoch authority",
                () -> EpochTopology.build(member.sizing(), meters),
                config(member),
                MOST_REPLACED,
                failure -> meters.threadFailed(),
                () -> {});
        meters.watch(running);
        return running;
    }

    private static Properties config(StreamsMember member) {
        Properties p = member.config(APPLICATION_ID);
        p.put(StreamsConfig.POLL_MS_CONFIG, POLL_MS);
        return p;
    }
}
