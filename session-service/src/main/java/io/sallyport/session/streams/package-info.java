/** The epoch authority: a Kafka Streams processor around the pure epoch rules, one writer for each sensor. */
@NullMarked
package io.sallyport.session.streams;

import org.jspecify.annotations.NullMarked;
