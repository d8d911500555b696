/** From a sensor to its slot, shard and partition. */
@NullMarked
package io.sallyport.envelope.routing;

import org.jspecify.annotations.NullMarked;
