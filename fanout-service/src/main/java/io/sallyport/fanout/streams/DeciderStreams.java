package io.sallyport.fanout.streams;

import io.sallyport.edge.streams.LogMadeAnewException;
import io.sallyport.edge.streams.RunningTopology;
import io.sallyport.edge.streams.StreamsMember;
import io.sallyport.envelope.topic.Topics;
import io.sallyport.fanout.core.AlertKind;
import io.sallyport.fanout.core.Decider;
import io.sallyport.fanout.core.Freshness;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.streams.StreamsConfig;

/** The decider's topology as a member of its group. */
public final class DeciderStreams {
    public static final String APPLICATION_ID = "sallyport-fanout-decider";
    /** A caller waits for the commit: it comes as soon as a request was handled, unless another one just was. */
    public static final int COMMIT_INTERVAL_MS = 5;

    private static final int MOST_REPLACED = 5;
    private static final int POLL_MS = 5;
    private static final int LINGER_MS = 5;
    private static final int TRANSACTION_TIMEOUT_MS = 30_000;
    /** Decisions are many and small requests few: what is polled at once bounds how long a commit takes to come. */
    private static final int MAX_POLL_RECORDS = 200;

    private DeciderStreams() {}

    /** @param onGivingUp called on a stream thread, when no thread is replaced any more */
    public static RunningTopology of(
            StreamsMember member, Decider decider, Freshness freshness, DeciderMeters meters, Runnable onGivingUp) {
        int partitions = Topics.INGRESS.partitions(member.sizing());
        return new RunningTopology(
                "the decider",
                () -> DeciderTopology.build(() -> new DeciderProcessor(decider, freshness, partitions, meters)),
                config(member),
                MOST_REPLACED,
                failure -> tell(meters, failure),
                onGivingUp);
    }

    private static void tell(DeciderMeters meters, Throwable failure) {
        LogMadeAnewException anew = LogMadeAnewException.in(failure);
        if (anew == null) {
            meters.alert(AlertKind.WORKER_FAILED, "decider: " + failure);
        } else {
            meters.alert(AlertKind.LOG_MADE_ANEW, String.valueOf(anew.getMessage()));
        }
    }

    private static Properties config(StreamsMember member) {
        Properties p = member.config(APPLICATION_ID);
        p.put(StreamsConfig.POLL_MS_CONFIG, POLL_MS);
        p.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.MAX_POLL_RECORDS_CONFIG), MAX_POLL_RECORDS);
        p.put(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), LINGER_MS);
        p.put(StreamsConfig.producerPrefix(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG), TRANSACTION_TIMEOUT_MS);
        p.put(
                StreamsConfig.producerPrefix(ProducerConfig.MAX_REQUEST_SIZE_CONFIG),
                Topics.MESSAGE_BODIES.maxMessageBytes());
        return p;
    }
}
