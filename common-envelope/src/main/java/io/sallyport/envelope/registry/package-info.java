/** What a new cell is seeded with. */
@NullMarked
package io.sallyport.envelope.registry;

import org.jspecify.annotations.NullMarked;
