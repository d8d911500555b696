/** The reference sensor as a pure state machine: what must happen is an input, what to do about it an effect. */
@NullMarked
package io.sallyport.sim.core;

import org.jspecify.annotations.NullMarked;
