/** Traces of commands, from publish to the sensor's answer. */
@org.jspecify.annotations.NullMarked
package io.sallyport.tracing;
