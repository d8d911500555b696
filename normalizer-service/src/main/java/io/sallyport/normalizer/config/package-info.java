/** Typed properties and wiring. */
@NullMarked
package io.sallyport.normalizer.config;

import org.jspecify.annotations.NullMarked;
