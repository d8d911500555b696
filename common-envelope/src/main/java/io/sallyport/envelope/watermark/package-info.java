/** Ranges of sequence numbers. */
@NullMarked
package io.sallyport.envelope.watermark;

import org.jspecify.annotations.NullMarked;
