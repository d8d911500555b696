/** Message bodies on the local disk. */
@NullMarked
package io.sallyport.router.rocksdb;

import org.jspecify.annotations.NullMarked;
