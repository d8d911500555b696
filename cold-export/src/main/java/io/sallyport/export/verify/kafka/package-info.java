/** The log as a verifier reads it. */
@NullMarked
package io.sallyport.export.verify.kafka;

import org.jspecify.annotations.NullMarked;
