package io.sallyport.normalizer.generation;

import io.sallyport.normalizer.streams.Incarnation;
import io.sallyport.proto.log.v1.Generations;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the consumer groups and changelogs of generations that ended: their lag would grow for ever, and raise alerts. A
 * number is never given again, so that this may be done at any time, and by any instance.
 */
final class RetiredGenerations implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RetiredGenerations.class);
    private static final long ANSWER_SECONDS = 10;

    private final Admin admin;
    /** Every generation below it is gone. */
    private int firstKept;

    RetiredGenerations(String bootstrapServers) {
        admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                AdminClientConfig.CLIENT_ID_CONFIG,
                "sallyport-retired-generations"));
    }

    /** Removes what can be removed now; members of a group take a while to be forgotten. */
    void sweep(Generations now) {
        boolean all = true;
        for (int number = firstKept; Integer.compareUnsigned(number, now.getHighest()) <= 0; number++) {
            boolean runs = number == now.getLive()
                    || (now.hasReplay() && number == now.getReplay().getGeneration());
            all &= !runs && remove(number);
            if (all) {
                firstKept = number + 1;
            }
        }
    }

    /** @return whether it is gone */
    private boolean remove(int generation) {
        String group = Incarnation.applicationId(generation);
        try {
            admin.deleteConsumerGroups(List.of(group)).all().get(ANSWER_SECONDS, TimeUnit.SECONDS);
            LOG.info("the group {} of an ended generation is removed", group);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GroupNotEmptyException) {
                return false;
            }
            if (!(e.getCause() instanceof GroupIdNotFoundException)) {
                LOG.warn("the group {} of an ended generation cannot be removed now", group, e.getCause());
                return false;
            }
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        admin.deleteTopics(Incarnation.ownTopics(generation));
        return true;
    }

    @Override
    public void close() {
        admin.close(java.time.Duration.ofSeconds(2));
    }
}
