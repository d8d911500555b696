/** Which generation's records are current. */
@NullMarked
package io.sallyport.envelope.generation;

import org.jspecify.annotations.NullMarked;
