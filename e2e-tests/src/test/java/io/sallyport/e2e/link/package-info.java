/**
 * The sensor link as somebody else would test it: a client written from docs/sensor-link.md alone, over the JDK's own
 * sockets, with frames built byte by byte. Nothing here uses Sallyport's codec; only {@link
 * io.sallyport.e2e.link.LinkTarget} knows how the gateway under test is started.
 */
@NullMarked
package io.sallyport.e2e.link;

import org.jspecify.annotations.NullMarked;
