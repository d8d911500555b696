/** The work on one shard: intent, files, commit. */
@NullMarked
package io.sallyport.export.work;

import org.jspecify.annotations.NullMarked;
