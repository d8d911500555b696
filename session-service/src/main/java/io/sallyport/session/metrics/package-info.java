/** What can be seen of a node from outside: meters, alerts, health. */
@NullMarked
package io.sallyport.session.metrics;

import org.jspecify.annotations.NullMarked;
