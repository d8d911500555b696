/** Records of any topic as lines of JSON. */
@NullMarked
package io.sallyport.local.records;

import org.jspecify.annotations.NullMarked;
