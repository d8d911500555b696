/** What is deployed, compared with what the code declares. */
@NullMarked
package io.sallyport.deployment;

import org.jspecify.annotations.NullMarked;
