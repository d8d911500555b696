package io.sallyport.fanout.publishing;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.fanout.core.Answer;
import io.sallyport.fanout.core.AuditTrail;
import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.core.Keys;
import io.sallyport.fanout.core.MetadataIndex;
import io.sallyport.fanout.core.Publisher;
import io.sallyport.fanout.core.SegmentInfo;
import io.sallyport.fanout.core.SensorSet;
import io.sallyport.fanout.kafka.LogProducer;
import io.sallyport.fanout.publishing.MessageDesk.ControlView;
import io.sallyport.fanout.status.SegmentTable;
import io.sallyport.proto.log.v1.SegmentChunk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Stored membership lists. Each change is a new version in chunks; it is the segment once all its chunks are there, and
 * then the older ones are deleted. A message keeps the members that it was planned with.
 */
public final class SegmentDesk {
    /** Most segments of a customer, and most members of one. */
    static final int MAX_SEGMENTS = 256;

    static final int MAX_MEMBERS = 100_000;
    /** Versions of two nodes differ in these low bits, so that racing writers never share one. */
    private static final int NODE_BITS = 10;

    private final Tenancy tenancy;
    private final ControlView control;
    private final MetadataIndex index;
    private final SegmentTable table;
    private final SegmentLog log;

    /**
     * How segments get into the log.
     *
     * @param node ordinal of this node
     * @param timeout of one change
     */
    public record SegmentLog(LogProducer producer, int node, Duration timeout) {}

    /** @param sensorIds a page of the members; all of them were stored */
    public record SegmentView(
            String customerId, String name, long version, int count, List<String> sensorIds, String nextPageToken) {}

    public SegmentDesk(Tenancy tenancy, ControlView control, MetadataIndex index, SegmentTable table, SegmentLog log) {
        this.tenancy = tenancy;
        this.control = control;
        this.index = index;
        this.table = table;
        this.log = log;
    }

    public Answer<SegmentView> get(
            Publisher publisher, String customerId, String name, int pageSize, String pageToken) {
        return named(publisher, customerId, name, Publisher.SCOPE_READ)
                .then(customer -> Page.of(pageSize, pageToken)
                        .then(page -> current(customer, name).map(info -> {
                            SensorSet members = SensorSet.of(table.members(info));
                            List<String> ids = page.after().isEmpty()
                                    ? members.range(0, page.size())
                                    : members.after(page.after(), page.size());
                            boolean more = !ids.isEmpty()
                                    && !members.after(ids.get(ids.size() - 1), 1)
                                            .isEmpty();
                            return new SegmentView(
                                    customer,
                                    name,
                                    info.version(),
                                    members.size(),
                                    ids,
                                    more ? Page.token(ids.get(ids.size() - 1)) : "");
                        })));
    }

    /** Returns when the new version is durable; every later publish finds it. */
    public Answer<SegmentView> put(Publisher publisher, String customerId, String name, List<String> sensorIds) {
        return named(publisher, customerId, name, Publisher.SCOPE_PUBLISH)
                .then(customer -> members(customer, sensorIds)
                        .then(members -> control.fresh()
                                .upToDate(customer, () -> room(customer, name).map(room -> members)))
                        .then(members -> store(publisher, customer, name, members, false)));
    }

    /** Messages that were published to it keep their targets. */
    public Answer<SegmentView> delete(Publisher publisher, String customerId, String name) {
        return named(publisher, customerId, name, Publisher.SCOPE_PUBLISH)
                .then(customer ->
                        current(customer, name).then(info -> store(publisher, customer, name, SensorSet.EMPTY, true)));
    }

    private Answer<String> named(Publisher publisher, String customerId, String name, String scope) {
        return tenancy.customer(publisher, customerId, scope)
                .then(customer -> Keys.isValidSegment(name)
                        ? Answer.of(customer)
                        : Answer.refused(ErrorCode.BAD_SEGMENT.because("the segment's name breaks the syntax")));
    }

    private Answer<String> room(String customer, String name) {
        return table.newest(customer, name).isEmpty() && table.count(customer, MAX_SEGMENTS) >= MAX_SEGMENTS
                ? Answer.refused(
                        ErrorCode.TOO_MANY_SEGMENTS.because("the customer has " + MAX_SEGMENTS + " segments already"))
                : Answer.of(name);
    }

    private Answer<SegmentInfo> current(String customer, String name) {
        return control.fresh()
                .upToDate(
                        customer,
                        () -> table.newest(customer, name)
                                .map(Answer::of)
                                .orElseGet(() -> Answer.refused(ErrorCode.SEGMENT_NOT_FOUND.because(
                                        "the customer has no segment '" + name + "'"))));
    }

    private Answer<SensorSet> members(String customer, List<String> sensorIds) {
        if (sensorIds.size() > MAX_MEMBERS) {
            return Answer.refused(ErrorCode.BAD_SEGMENT.because("a segment has at most " + MAX_MEMBERS + " members"));
        }
        for (String id : sensorIds) {
            if (!SensorKey.isValidId(id)) {
                return Answer.refused(ErrorCode.BAD_SENSOR_ID.because("'" + id + "' breaks the syntax"));
            }
        }
        return control.fresh().again(customer, () -> {
            for (String id : sensorIds) {
                if (!index.knows(customer, id)) {
                    return Answer.refused(ErrorCode.UNKNOWN_SENSOR.because("the customer has no sensor '" + id + "'"));
                }
            }
            return Answer.of(SensorSet.of(sensorIds));
        });
    }

    private Answer<SegmentView> store(
            Publisher publisher, String customer, String name, SensorSet members, boolean deleted) {
        List<SegmentInfo> before = table.stored(customer, name);
        long newest = before.isEmpty() ? 0 : before.get(0).version();
        long version = (Math.max(control.clock().millis(), (newest >>> NODE_BITS) + 1) << NODE_BITS) | log.node();
        int chunks = Math.max(1, members.chunks());
        var trace = AuditTrail.changed(
                publisher,
                deleted ? "segment.delete" : "segment.put",
                customer,
                name,
                members.size(),
                control.clock().millis() * 1_000);
        try {
            // First the trace: rather one of a change that failed than a change without one.
            log.producer()
                    .audit(trace)
                    // Not on the producer's own thread: a topic that it does not know yet would never be looked up.
                    .thenComposeAsync(traced -> append(
                            SegmentChunk.newBuilder()
                                    .setCustomerId(customer)
                                    .setName(name)
                                    .setVersion(version)
                                    .setChunks(chunks)
                                    .setDeleted(deleted)
                                    .build(),
                            members))
                    .get(log.timeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.refused(ErrorCode.LOG_UNAVAILABLE.because("the change was interrupted"));
        } catch (ExecutionException | TimeoutException e) {
            return Answer.refused(ErrorCode.LOG_UNAVAILABLE.because("the log did not take the whole segment"));
        }
        for (SegmentInfo old : before) {
            for (int i = 0; i < old.chunks(); i++) {
                log.producer().dropSegmentChunk(customer, name, old.version(), i);
            }
        }
        return Answer.of(new SegmentView(customer, name, version, members.size(), List.of(), ""));
    }

    private CompletableFuture<Void> append(SegmentChunk each, SensorSet members) {
        var appends = new ArrayList<CompletableFuture<Void>>();
        for (int i = 0; i < each.getChunks(); i++) {
            appends.add(log.producer()
                    .segment(each.toBuilder()
                            .setChunk(i)
                            .addAllSensorIds(members.chunk(i))
                            .build()));
        }
        return CompletableFuture.allOf(appends.toArray(CompletableFuture[]::new));
    }
}
