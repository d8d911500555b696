/** Benchmarks against the real processes. */
@NullMarked
package io.sallyport.local.bench;

import org.jspecify.annotations.NullMarked;
