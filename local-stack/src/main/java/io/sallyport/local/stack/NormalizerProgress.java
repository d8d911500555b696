package io.sallyport.local.stack;

import io.sallyport.envelope.topic.Topics;
import io.sallyport.normalizer.generation.GenerationLog;
import io.sallyport.normalizer.streams.Incarnation;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** How far the normalizer has come in the raw log, as its committed offsets tell. */
public final class NormalizerProgress implements AutoCloseable {
    private static final int ANSWER_MS = 5_000;

    private final Admin admin;
    private final GenerationLog generations;

    public NormalizerProgress(String bootstrapServers) {
        admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                AdminClientConfig.CLIENT_ID_CONFIG, "sallyport-progress",
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, ANSWER_MS,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ANSWER_MS));
        generations = new GenerationLog(bootstrapServers);
    }

    /**
     * Records of `raw` that are not handled and committed yet.
     *
     * @throws StackException where the broker does not answer
     */
    public synchronized long lag() throws InterruptedException {
        try {
            int partitions = admin.describeTopics(java.util.List.of(Topics.RAW.name()))
                    .allTopicNames()
                    .get()
                    .values()
                    .iterator()
                    .next()
                    .partitions()
                    .size();
            Map<TopicPartition, ListOffsetsResultInfo> ends = offsets(partitions, OffsetSpec.latest());
            Map<TopicPartition, ListOffsetsResultInfo> begins = offsets(partitions, OffsetSpec.earliest());
            Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(
                            Incarnation.applicationId(generations.current().getLive()))
                    .partitionsToOffsetAndMetadata()
                    .get();
            long lag = 0;
            for (var end : ends.entrySet()) {
                OffsetAndMetadata done = committed.get(end.getKey());
                ListOffsetsResultInfo begin = begins.get(end.getKey());
                long from = begin == null ? 0 : begin.offset();
                lag += end.getValue().offset() - Math.max(from, done == null ? 0 : done.offset());
            }
            return lag;
        } catch (ExecutionException e) {
            throw new StackException("Kafka does not answer: " + e.getCause(), e);
        } catch (KafkaException e) {
            throw new StackException("Kafka does not answer: " + e.getMessage(), e);
        }
    }

    private Map<TopicPartition, ListOffsetsResultInfo> offsets(int partitions, OffsetSpec which)
            throws InterruptedException, ExecutionException {
        var asked = new HashMap<TopicPartition, OffsetSpec>();
        for (int partition = 0; partition < partitions; partition++) {
            asked.put(new TopicPartition(Topics.RAW.name(), partition), which);
        }
        return admin.listOffsets(asked).all().get();
    }

    @Override
    public void close() {
        admin.close();
        generations.close();
    }
}
