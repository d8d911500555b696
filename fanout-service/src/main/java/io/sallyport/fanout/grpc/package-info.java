/** The gRPC edge. */
@NullMarked
package io.sallyport.fanout.grpc;

import org.jspecify.annotations.NullMarked;
