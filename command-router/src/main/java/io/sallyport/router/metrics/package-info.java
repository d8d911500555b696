/** What the router counts. */
@NullMarked
package io.sallyport.router.metrics;

import org.jspecify.annotations.NullMarked;
