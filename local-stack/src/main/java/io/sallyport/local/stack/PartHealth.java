package io.sallyport.local.stack;

/**
 * One part of the stack, as seen from outside.
 *
 * @param name broker, a service, or a listener
 * @param ready whether it serves
 * @param detail where it serves, or what is wrong
 */
public record PartHealth(String name, boolean ready, String detail) {}
