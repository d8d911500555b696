/** Pure decisions of the per-sensor queue: state and event in, state and effects out. */
@NullMarked
package io.sallyport.router.core;

import org.jspecify.annotations.NullMarked;
