/** The topic catalogue: every topic, declared once. */
@NullMarked
package io.sallyport.envelope.topic;

import org.jspecify.annotations.NullMarked;
