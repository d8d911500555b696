/** The sensor's end of the link: TCP, TLS, frames, and BATCH frames that are built in place. */
@NullMarked
package io.sallyport.sim.netty;

import org.jspecify.annotations.NullMarked;
