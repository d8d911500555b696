/** The use cases behind both edges: who may do what, and what they get. */
@NullMarked
package io.sallyport.fanout.publishing;

import org.jspecify.annotations.NullMarked;
