/** Kafka Streams around the decisions: one sub-topology from `raw` to `structured`, `coverage` and `quarantine`. */
@NullMarked
package io.sallyport.normalizer.streams;

import org.jspecify.annotations.NullMarked;
