/** Where files lie: what the export needs of a folder or a bucket. */
@NullMarked
package io.sallyport.export.store;

import org.jspecify.annotations.NullMarked;
