/** Checkpoints over the log trees: what the cell signs, and when. */
@NullMarked
package io.sallyport.export.checkpoint;

import org.jspecify.annotations.NullMarked;
