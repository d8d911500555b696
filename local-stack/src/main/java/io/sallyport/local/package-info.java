/** The embedded default: broker, services, credentials and a small fleet, and the command line. */
@NullMarked
package io.sallyport.local;

import org.jspecify.annotations.NullMarked;
