/** Starting, watching and stopping the parts of a local stack, in one process or in one process each. */
@NullMarked
package io.sallyport.local.stack;

import org.jspecify.annotations.NullMarked;
