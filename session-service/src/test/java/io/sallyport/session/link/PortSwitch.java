package io.sallyport.session.link;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** One address in front of several listeners, so that a client takes them for one server and shows its ticket. */
final class PortSwitch implements AutoCloseable {
    private final ServerSocket listening;
    private volatile int target;

    PortSwitch(int target) throws IOException {
        this.target = target;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    void to(int port) {
        target = port;
    }

    private void accept() {
        try {
            while (true) {
                Socket in = listening.accept();
                var out = new Socket(InetAddress.getLoopbackAddress(), target);
                daemon(() -> pump(in, out));
                daemon(() -> pump(out, in));
            }
        } catch (IOException e) {
            // Closed by the test.
        }
    }

    private static void pump(Socket from, Socket to) {
        try (InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            in.transferTo(out);
        } catch (IOException e) {
            // One of the two is gone; the other ends with it.
        }
    }

    private static void daemon(Runnable work) {
        var thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
