/** An operator's replay: what it begins with, its steps, and what it would change. */
@NullMarked
package io.sallyport.normalizer.replay;

import org.jspecify.annotations.NullMarked;
