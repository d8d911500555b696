package io.sallyport.fanout.core;

import io.sallyport.proto.log.v1.Target;
import java.util.List;
import java.util.Optional;

/** What a target means at one moment. Looks at nothing but the customer's own sensors and segments. */
public final class TargetResolver {
    private final SelectorParser parser;
    private final MetadataIndex index;
    private final SegmentSource segments;

    public TargetResolver(SelectorParser parser, MetadataIndex index, SegmentSource segments) {
        this.parser = parser;
        this.index = index;
        this.segments = segments;
    }

    public Answer<SensorSet> resolve(String customerId, Target target, long nowUs) {
        return switch (target.getTargetCase()) {
            case SENSOR_ID -> sensor(customerId, target.getSensorId());
            case FLEET -> Answer.of(index.fleet(customerId));
            case SELECTOR ->
                parser.parse(target.getSelector()).then(selector -> index.select(customerId, selector, nowUs));
            case SEGMENT -> segment(customerId, target.getSegment());
            case TARGET_NOT_SET -> Answer.refused(ErrorCode.EMPTY_SELECTOR.because("the request names no target"));
        };
    }

    /** The order in which the targets get their entries. */
    public Plan plan(String customerId, SensorSet targets, long nowUs) {
        return index.connectedFirst(customerId, targets, nowUs);
    }

    private Answer<SensorSet> sensor(String customerId, String sensorId) {
        return index.knows(customerId, sensorId)
                ? Answer.of(SensorSet.of(List.of(sensorId)))
                : Answer.refused(ErrorCode.UNKNOWN_SENSOR.because("the customer has no sensor '" + sensorId + "'"));
    }

    private Answer<SensorSet> segment(String customerId, String name) {
        Optional<List<String>> members = segments.members(customerId, name);
        if (members.isEmpty()) {
            return Answer.refused(ErrorCode.UNKNOWN_SEGMENT.because("the customer has no segment '" + name + "'"));
        }
        // A member that was retired since the list was stored is no target any more.
        return Answer.of(SensorSet.of(index.known(customerId, members.get())));
    }
}
