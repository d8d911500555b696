/** What a reader of the structured log writes, and what it may rely on. */
@NullMarked
package io.sallyport.consumer;

import org.jspecify.annotations.NullMarked;
