/** Files in a bucket of S3, or of what speaks like it. */
@NullMarked
package io.sallyport.export.s3;

import org.jspecify.annotations.NullMarked;
