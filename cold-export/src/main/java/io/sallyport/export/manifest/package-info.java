/** The chain of manifests of each shard, as files. */
@NullMarked
package io.sallyport.export.manifest;

import org.jspecify.annotations.NullMarked;
