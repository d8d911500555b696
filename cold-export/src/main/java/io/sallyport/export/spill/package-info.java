/** Sorting of more rows than memory holds. */
@NullMarked
package io.sallyport.export.spill;

import org.jspecify.annotations.NullMarked;
