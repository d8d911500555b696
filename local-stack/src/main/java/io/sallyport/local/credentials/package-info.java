/** Development certificates and tokens in a folder that only its owner reads. */
@NullMarked
package io.sallyport.local.credentials;

import org.jspecify.annotations.NullMarked;
