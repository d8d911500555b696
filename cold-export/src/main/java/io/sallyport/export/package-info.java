/** Cold export: the structured log as Parquet files that can be checked against its proof. */
@NullMarked
package io.sallyport.export;

import org.jspecify.annotations.NullMarked;
