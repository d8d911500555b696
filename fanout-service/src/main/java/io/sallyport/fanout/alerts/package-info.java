/** Alerts: one counter and one log line each. */
@NullMarked
package io.sallyport.fanout.alerts;

import org.jspecify.annotations.NullMarked;
