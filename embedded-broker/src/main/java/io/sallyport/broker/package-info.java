/** A real Kafka broker inside this JVM. */
@NullMarked
package io.sallyport.broker;

import org.jspecify.annotations.NullMarked;
