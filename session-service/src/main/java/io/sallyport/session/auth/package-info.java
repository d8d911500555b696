/** How a sensor proves who it is: client certificates and tokens. */
@NullMarked
package io.sallyport.session.auth;

import org.jspecify.annotations.NullMarked;
