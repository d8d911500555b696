package io.sallyport.fanout.core;

import io.sallyport.proto.log.v1.IngressRecord;

/**
 * A record of `ingress`.
 *
 * @param customerId of the record's key, which the topic is partitioned by
 * @param revision its offset
 * @param appendedAtUs the broker's append time: when a message was accepted, and the same at every repetition
 */
public record Request(String customerId, long revision, long appendedAtUs, IngressRecord record) {}
