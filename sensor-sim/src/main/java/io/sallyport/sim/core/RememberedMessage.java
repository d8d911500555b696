package io.sallyport.sim.core;

/**
 * A message that was answered.
 *
 * @param ordinal counts the sensor's messages from 0
 * @param applied answered with MESSAGE_ACK; otherwise with MESSAGE_NACK
 */
public record RememberedMessage(long ordinal, String msgId, boolean applied) {}
