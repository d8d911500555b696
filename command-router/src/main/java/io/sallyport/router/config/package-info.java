/** Settings and wiring. */
@NullMarked
package io.sallyport.router.config;

import org.jspecify.annotations.NullMarked;
