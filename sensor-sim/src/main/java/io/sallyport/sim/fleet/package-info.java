/** Many reference sensors in one process, with a workload and a report. */
@NullMarked
package io.sallyport.sim.fleet;

import org.jspecify.annotations.NullMarked;
