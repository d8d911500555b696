/** The router's topology and stores on Kafka Streams. */
@NullMarked
package io.sallyport.router.streams;

import org.jspecify.annotations.NullMarked;
