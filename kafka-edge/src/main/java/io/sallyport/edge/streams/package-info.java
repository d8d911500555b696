/** Running topologies of Kafka Streams. */
@NullMarked
package io.sallyport.edge.streams;

import org.jspecify.annotations.NullMarked;
