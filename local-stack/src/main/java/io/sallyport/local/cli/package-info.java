/** The commands of the root script, one class each. */
@NullMarked
package io.sallyport.local.cli;

import org.jspecify.annotations.NullMarked;
