package io.sallyport.local.stack;

import io.sallyport.envelope.topic.TopicSizing;
import io.sallyport.proto.log.v1.Customer;
import io.sallyport.topics.ControlSeeds;
import io.sallyport.topics.TopicAdmin;
import io.sallyport.topics.TopicMismatchException;
import java.util.List;

/** The one-shot job that makes a broker a cell: every topic of the catalogue, the seeds, and the demo tenants. */
final class Cell {
    /** Tenants that every local stack knows. */
    static final List<String> DEMO_TENANTS = List.of("acme", "globex");

    private Cell() {}

    /** Adds what is missing; a second start changes nothing. */
    static void prepare(String bootstrapServers) throws InterruptedException {
        try (var topics = new TopicAdmin(bootstrapServers, TopicSizing.LOCAL);
                var seeds = new ControlSeeds(bootstrapServers)) {
            topics.create();
            seeds.seedCell(TopicSizing.LOCAL.shardsMax());
            for (String tenant : DEMO_TENANTS) {
                seeds.put(Customer.newBuilder().setCustomerId(tenant).build());
            }
        } catch (TopicMismatchException e) {
            throw new StackException(e.getMessage() + "; this data folder was made by another version", e);
        }
    }
}
