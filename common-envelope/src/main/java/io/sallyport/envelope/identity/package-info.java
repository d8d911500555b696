/** Who a record belongs to. */
@NullMarked
package io.sallyport.envelope.identity;

import org.jspecify.annotations.NullMarked;
