/** The whole way from a sensor to a consumer, with parts killed on the way. */
@NullMarked
package io.sallyport.e2e.pipeline;

import org.jspecify.annotations.NullMarked;
