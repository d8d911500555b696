package io.sallyport.router.core;

import io.sallyport.proto.log.v1.CommandResult;
import io.sallyport.proto.log.v1.QueueEntry;
import io.sallyport.proto.log.v1.SessionEntry;

/** What can happen to one sensor's queue. The records are as read: their fields are not trusted. */
public sealed interface QueueEvent {
    /** A message for the sensor, or the cancellation of one where {@code cancel_revision} is set. */
    record Entered(QueueEntry entry) implements QueueEvent {}

    /** The directory's word about a session of the sensor. */
    record SessionChanged(SessionEntry session) implements QueueEvent {}

    /** The directory no longer knows the sensor. */
    record SensorRetired() implements QueueEvent {}

    /** What the sensor, or the gateway in its place, answered. */
    record Answered(CommandResult result) implements QueueEvent {}

    /** Time has passed, or a body has arrived. */
    record Due() implements QueueEvent {}
}
