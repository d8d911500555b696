package io.sallyport.fanout.grpc;

import io.sallyport.fanout.publishing.Draft;
import io.sallyport.fanout.publishing.TargetDraft;
import io.sallyport.proto.publish.v1.PublishRequest;
import io.sallyport.proto.publish.v1.Target;

/** Requests in the terms of the desks. */
final class Requests {
    private Requests() {}

    static Draft draft(PublishRequest request) {
        return new Draft(
                request.getCustomerId(),
                request.getMsgId(),
                draft(request.getTarget()),
                request.getType(),
                request.getCoalesceKey(),
                request.hasPayload() ? request.getPayload() : null,
                new Draft.Delivery(
                        Integer.toUnsignedLong(request.getPriority()),
                        request.hasTtlMs() ? request.getTtlMs() : null,
                        request.hasMaxTargets() ? Integer.toUnsignedLong(request.getMaxTargets()) : null,
                        request.hasJitterMs() ? request.getJitterMs() : null,
                        request.getPreviewToken()));
    }

    static TargetDraft draft(Target target) {
        return new TargetDraft(
                target.hasSensorId() ? target.getSensorId() : null,
                target.hasFleet() ? target.getFleet() : null,
                target.hasSelector() ? target.getSelector() : null,
                target.hasSegment() ? target.getSegment() : null);
    }
}
