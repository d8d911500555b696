/** The sensor link on Netty: listeners, TLS, frames, and the handler that does what the pure core decides. */
@NullMarked
package io.sallyport.session.netty;

import org.jspecify.annotations.NullMarked;
