/** What readers ask for, kept in RocksDB: decisions, counts, targets, plans, segments. */
@NullMarked
package io.sallyport.fanout.status;

import org.jspecify.annotations.NullMarked;
