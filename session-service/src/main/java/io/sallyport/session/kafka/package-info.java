/** Kafka clients of a gateway node: producers, and views of topics. */
@NullMarked
package io.sallyport.session.kafka;

import org.jspecify.annotations.NullMarked;
