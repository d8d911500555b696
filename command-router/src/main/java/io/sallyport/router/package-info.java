/** The command router: per-sensor queues, the session directory, live push. */
@NullMarked
package io.sallyport.router;

import org.jspecify.annotations.NullMarked;
