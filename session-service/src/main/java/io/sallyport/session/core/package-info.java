/** Pure decisions of the gateway: states, events and effects, without Netty, Kafka, Spring, clock or I/O. */
@NullMarked
package io.sallyport.session.core;

import org.jspecify.annotations.NullMarked;
