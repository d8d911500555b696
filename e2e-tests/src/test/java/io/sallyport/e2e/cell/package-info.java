/** Several gateways as one cell. */
@NullMarked
package io.sallyport.e2e.cell;

import org.jspecify.annotations.NullMarked;
