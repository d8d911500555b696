/** Sensor epochs and sessions: the rules of the epoch authority. */
@NullMarked
package io.sallyport.envelope.epoch;

import org.jspecify.annotations.NullMarked;
