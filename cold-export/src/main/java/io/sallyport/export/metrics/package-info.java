/** Counters and alerts. */
@NullMarked
package io.sallyport.export.metrics;

import org.jspecify.annotations.NullMarked;
