/** Plain consumers: message bodies and control data. */
@NullMarked
package io.sallyport.router.kafka;

import org.jspecify.annotations.NullMarked;
