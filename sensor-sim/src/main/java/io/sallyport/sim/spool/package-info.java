/** Where a sensor keeps its events and its state: in memory, or in RocksDB. */
@NullMarked
package io.sallyport.sim.spool;

import org.jspecify.annotations.NullMarked;
