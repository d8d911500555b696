package io.sallyport.router.core;

import io.sallyport.proto.log.v1.TargetStatus;

/**
 * A target whose state is final, remembered so that a repeated entry changes nothing and a late answer is recognised.
 *
 * @param status final state; only its late_ack may still be set
 * @param expiresAtUs of the message
 * @param keepUntilUs when it is forgotten
 */
public record Settled(TargetStatus status, long expiresAtUs, long keepUntilUs) {
    public String msgId() {
        return status.getMsgId();
    }
}
