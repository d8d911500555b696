/** The session service: the gateway of the sensor link, and the epoch authority. */
@NullMarked
package io.sallyport.session;

import org.jspecify.annotations.NullMarked;
