/** The HTTP edge. */
@NullMarked
package io.sallyport.fanout.rest;

import org.jspecify.annotations.NullMarked;
