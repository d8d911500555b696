/** Reading topics without a consumer group. */
@NullMarked
package io.sallyport.edge.read;

import org.jspecify.annotations.NullMarked;
