/** The selector language's grammar, as text to {@link io.sallyport.fanout.core.Selector}. */
@NullMarked
package io.sallyport.fanout.selector;

import org.jspecify.annotations.NullMarked;
