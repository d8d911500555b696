/** Typed properties of the service, and the wiring of its parts. */
@NullMarked
package io.sallyport.session.config;

import org.jspecify.annotations.NullMarked;
