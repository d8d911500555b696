/** Alerts: one counter and one log line each. */
@NullMarked
package io.sallyport.edge.alerts;

import org.jspecify.annotations.NullMarked;
