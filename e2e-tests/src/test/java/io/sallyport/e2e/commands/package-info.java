/** The whole way of a command: from its publisher to a sensor, and its answer back. */
@NullMarked
package io.sallyport.e2e.commands;

import org.jspecify.annotations.NullMarked;
