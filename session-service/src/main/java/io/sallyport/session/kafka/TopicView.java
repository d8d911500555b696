package io.sallyport.session.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.sallyport.edge.read.TailSource;
import io.sallyport.edge.read.TopicTail;
import io.sallyport.envelope.topic.TopicSpec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A compacted topic, followed from its beginning: each key's newest value reaches the sink, a tombstone removes the key.
 * While the broker is away, the sink keeps what it has.
 */
final class TopicView<V extends MessageLite> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TopicView.class);

    private final TopicSpec<V> topic;
    private final Parser<V> parser;
    private final Sink<V> sink;
    private final TopicTail reader;

    /** Called on the view's thread only. */
    interface Sink<V> {
        void put(String key, V value);

        void remove(String key);
    }

    TopicView(TopicSpec<V> topic, String bootstrapServers, String clientId, Sink<V> sink) {
        this.topic = topic;
        this.parser = topic.value().orElseThrow();
        this.sink = sink;
        this.reader = new TopicTail(
                TailSource.of(bootstrapServers, clientId, List.of(topic.name())), TopicTail.Sink.each(this::apply));
        reader.keepLooking();
    }

    void start() {
        reader.start();
    }

    /** Whether everything that was in the topic at the start has reached the sink. */
    boolean isLoaded() {
        return reader.isLoaded();
    }

    /** How long ago everything that was in the topic then had reached the sink; see {@link TopicTail#behindMs}. */
    long behindMs() {
        return reader.behindMs();
    }

    @Override
    public void close() {
        reader.close();
    }

    private void apply(ConsumerRecord<byte[], byte[]> record) {
        if (record.key() == null) {
            return;
        }
        String key = new String(record.key(), StandardCharsets.UTF_8);
        if (record.value() == null) {
            sink.remove(key);
            return;
        }
        try {
            sink.put(key, parser.parseFrom(record.value()));
        } catch (InvalidProtocolBufferException e) {
            // What the key stood for before is a better answer than none.
            LOG.warn(
                    "unreadable record of {} at partition {} offset {}",
                    topic.name(),
                    record.partition(),
                    record.offset());
        }
    }
}
