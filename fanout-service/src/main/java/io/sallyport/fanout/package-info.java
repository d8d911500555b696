/** Publishing messages to sensors: REST and gRPC, target resolution, plans, and what became of each message. */
@NullMarked
package io.sallyport.fanout;

import org.jspecify.annotations.NullMarked;
