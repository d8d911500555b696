/** Plain Kafka clients beside the topology. */
@NullMarked
package io.sallyport.normalizer.kafka;

import org.jspecify.annotations.NullMarked;
