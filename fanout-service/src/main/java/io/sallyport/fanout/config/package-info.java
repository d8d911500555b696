/** Typed properties of the service, and the wiring of its parts. */
@NullMarked
package io.sallyport.fanout.config;

import org.jspecify.annotations.NullMarked;
