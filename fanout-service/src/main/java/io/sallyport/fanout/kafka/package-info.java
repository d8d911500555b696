/** Reading whole topics, and appending to them. */
@NullMarked
package io.sallyport.fanout.kafka;

import org.jspecify.annotations.NullMarked;
