package io.sallyport.export.kafka;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/** Asks where a partition really ends, transactions that are still open included. */
public final class LogEnds implements AutoCloseable {
    private static final int TIMEOUT_SECONDS = 10;

    private final Admin admin;

    public LogEnds(String bootstrapServers) {
        admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                AdminClientConfig.CLIENT_ID_CONFIG,
                "sallyport-cold-export-ends"));
    }

    /**
     * Whether a reader of committed records at {@code position} has seen all that there will be of what was written so far.
     * Where a transaction is open, its rows may still come.
     */
    boolean nothingPendingBehind(TopicPartition partition, long position) throws IOException {
        return position >= end(partition);
    }

    /** Offset behind all that was written so far, whether or not it is decided. */
    long end(TopicPartition partition) throws IOException {
        try {
            return admin.listOffsets(
                            Map.of(partition, OffsetSpec.latest()),
                            new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED))
                    .partitionResult(partition)
                    .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                    .offset();
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the end of " + partition + " is not known", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void close() {
        admin.close();
    }
}
