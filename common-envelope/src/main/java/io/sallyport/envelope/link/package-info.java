/** The sensor link: frames, BATCH bodies and their bounded decoding. */
@NullMarked
package io.sallyport.envelope.link;

import org.jspecify.annotations.NullMarked;
