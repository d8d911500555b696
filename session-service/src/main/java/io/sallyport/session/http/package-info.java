/** Asks a customer registry over HTTP, where one is configured. */
@NullMarked
package io.sallyport.session.http;

import org.jspecify.annotations.NullMarked;
