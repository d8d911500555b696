/** Reading the log. */
@NullMarked
package io.sallyport.export.kafka;

import org.jspecify.annotations.NullMarked;
