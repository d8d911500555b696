/** Counters, gauges and alerts of a consumer. */
@NullMarked
package io.sallyport.consumer.metrics;

import org.jspecify.annotations.NullMarked;
