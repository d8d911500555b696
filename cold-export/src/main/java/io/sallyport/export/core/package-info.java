/** Pure decisions: what is covered, when a range is cut, how rows are ordered, where files lie. */
@NullMarked
package io.sallyport.export.core;

import org.jspecify.annotations.NullMarked;
