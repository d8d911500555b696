/** Typed properties and wiring. */
@NullMarked
package io.sallyport.export.config;

import org.jspecify.annotations.NullMarked;
