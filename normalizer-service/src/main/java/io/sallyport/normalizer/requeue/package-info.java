/** Putting quarantined content back into `raw`, once what refused it is fixed. */
@NullMarked
package io.sallyport.normalizer.requeue;

import org.jspecify.annotations.NullMarked;
