/** Which generations there are, and which of them this instance runs. */
@NullMarked
package io.sallyport.normalizer.generation;

import org.jspecify.annotations.NullMarked;
