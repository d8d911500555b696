package io.sallyport.normalizer.streams;

import org.apache.kafka.common.serialization.Serializer;

/**
 * A value on its way to a topic, with the partition it must go to: the one its raw record came from, so that a sensor's
 * records stay in one partition whatever the key hashes to.
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record Outgoing(int partition, byte[] value) {

    static Serializer<Outgoing> serializer() {
        return (topic, outgoing) -> outgoing == null ? null : outgoing.value();
    }
}
