package io.sallyport.fanout.core;

/** Whether a row of an index matches, in {@link Truth}'s terms. */
interface RowTest {
    byte test(int row);
}
