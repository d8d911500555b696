package io.sallyport.fanout.core;

/** Turns a selector's text into its meaning; never throws for text, however wrong. */
public interface SelectorParser {
    Answer<Selector> parse(String text);
}
