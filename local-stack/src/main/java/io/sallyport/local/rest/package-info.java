/** Publishing over HTTP, as any other caller would. */
@NullMarked
package io.sallyport.local.rest;

import org.jspecify.annotations.NullMarked;
