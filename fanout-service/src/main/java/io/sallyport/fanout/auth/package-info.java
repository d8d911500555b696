/** Who is calling: bearer tokens, their keys, and the publisher they name. */
@NullMarked
package io.sallyport.fanout.auth;

import org.jspecify.annotations.NullMarked;
