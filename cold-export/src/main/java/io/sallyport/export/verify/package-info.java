/** Checks that the record is what was committed, against a pin from outside. */
@NullMarked
package io.sallyport.export.verify;

import org.jspecify.annotations.NullMarked;
