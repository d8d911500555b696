/** Pure decisions: selectors over the metadata index, what becomes of a request, plans and their entries. */
@NullMarked
package io.sallyport.fanout.core;

import org.jspecify.annotations.NullMarked;
