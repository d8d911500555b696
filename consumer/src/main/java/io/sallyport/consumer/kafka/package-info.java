/** The consumer group, and the transaction that gives a record up. */
@NullMarked
package io.sallyport.consumer.kafka;

import org.jspecify.annotations.NullMarked;
