/** The coordinator against real topics. */
@NullMarked
package io.sallyport.export.checkpoint.kafka;

import org.jspecify.annotations.NullMarked;
