/** Creating, seeding and checking the topics of the catalogue. */
@NullMarked
package io.sallyport.topics;

import org.jspecify.annotations.NullMarked;
