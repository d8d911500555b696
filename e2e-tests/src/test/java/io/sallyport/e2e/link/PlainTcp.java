package io.sallyport.e2e.link;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;

/** TCP without TLS. */
final class PlainTcp {
    private static final int PATIENCE_MS = 30_000;

    private PlainTcp() {}

    /**
     * What the other side sends until it closes, in order or with a reset.
     *
     * @throws java.net.SocketTimeoutException where it does not close
     */
    static byte[] untilClosed(Socket socket) throws IOException {
        socket.setSoTimeout(PATIENCE_MS);
        var bytes = new ByteArrayOutputStream();
        try (socket) {
            socket.getInputStream().transferTo(bytes);
        } catch (SocketException e) {
            // A reset closes too.
        }
        return bytes.toByteArray();
    }
}
