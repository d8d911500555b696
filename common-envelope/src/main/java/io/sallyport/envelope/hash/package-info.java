/** Content hashes. */
@NullMarked
package io.sallyport.envelope.hash;

import org.jspecify.annotations.NullMarked;
