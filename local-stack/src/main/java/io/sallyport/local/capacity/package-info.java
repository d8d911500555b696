/** What a cell of a given size needs. */
@NullMarked
package io.sallyport.local.capacity;

import org.jspecify.annotations.NullMarked;
