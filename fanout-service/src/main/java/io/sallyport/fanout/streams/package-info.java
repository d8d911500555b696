/** The decider: requests in, decisions, bodies, plans and queue entries out, exactly once. */
@NullMarked
package io.sallyport.fanout.streams;

import org.jspecify.annotations.NullMarked;
