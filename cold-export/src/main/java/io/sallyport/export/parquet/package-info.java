/** Rows as Parquet files, and back. */
@NullMarked
package io.sallyport.export.parquet;

import org.jspecify.annotations.NullMarked;
