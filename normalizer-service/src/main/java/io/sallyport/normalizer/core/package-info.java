/**
 * The decisions of the normalizer, pure: one raw record and what is stored of its sensor give effects in order and what
 * is stored afterwards. Time comes from the record alone, so a replay decides the same.
 */
@NullMarked
package io.sallyport.normalizer.core;

import org.jspecify.annotations.NullMarked;
