/** The normalizer: raw log in, structured log out, exactly once. */
@NullMarked
package io.sallyport.normalizer;

import org.jspecify.annotations.NullMarked;
