/** What the normalizer counts and raises. */
@NullMarked
package io.sallyport.normalizer.metrics;

import org.jspecify.annotations.NullMarked;
