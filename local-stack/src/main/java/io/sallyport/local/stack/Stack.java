package io.sallyport.local.stack;

/** A local stack that serves, whatever it is made of. Closing it stops the gateway first and the broker last. */
public interface Stack extends AutoCloseable {
    Endpoints endpoints();

    @Override
    void close();
}
