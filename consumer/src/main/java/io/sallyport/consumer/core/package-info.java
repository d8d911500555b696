/** Decisions of a consumer: what becomes of a record, when it is tried again, when lag is an alert. Pure. */
@NullMarked
package io.sallyport.consumer.core;

import org.jspecify.annotations.NullMarked;
