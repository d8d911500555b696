package io.sallyport.fanout.publishing;

import io.sallyport.fanout.core.Answer;
import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.proto.log.v1.Target;
import org.jspecify.annotations.Nullable;

/** A target as a caller wrote it; null is what it did not write. */
public record TargetDraft(
        @Nullable String sensorId,
        @Nullable Boolean fleet,
        @Nullable String selector,
        @Nullable String segment) {

    /** No target at all is left as it is: the rules of messages say that it is none. */
    public Answer<Target> target() {
        var target = Target.newBuilder();
        int named = 0;
        if (sensorId != null) {
            target.setSensorId(sensorId);
            named++;
        }
        if (fleet != null) {
            target.setFleet(fleet);
            named++;
        }
        if (selector != null) {
            target.setSelector(selector);
            named++;
        }
        if (segment != null) {
            target.setSegment(segment);
            named++;
        }
        return named > 1
                ? Answer.refused(ErrorCode.MALFORMED_REQUEST.because("a message has one target, not " + named))
                : Answer.of(target.build());
    }
}
