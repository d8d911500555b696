package io.sallyport.e2e.commands;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A line between sensor and gateway that can fall silent, as a network does that drops everything: neither side is told.
 * Connections that come after that get no answer either.
 */
final class SilentLine implements AutoCloseable {
    private final InetSocketAddress to;
    private final ServerSocket listening;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private volatile boolean silent;

    SilentLine(InetSocketAddress to) throws IOException {
        this.to = to;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon("line-accepts", this::accept);
    }

    InetSocketAddress address() {
        return new InetSocketAddress(listening.getInetAddress(), listening.getLocalPort());
    }

    void fallSilent() {
        silent = true;
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket near = listening.accept();
                sockets.add(near);
                if (!silent) {
                    var far = new Socket(to.getAddress(), to.getPort());
                    sockets.add(far);
                    daemon("line-up", () -> carry(near, far));
                    daemon("line-down", () -> carry(far, near));
                }
            } catch (IOException e) {
                // The gateway is not there, or the line is being closed: the next look tells.
            }
        }
    }

    /** What is read after the line fell silent is dropped, an end of the stream included. */
    private void carry(Socket from, Socket into) {
        var buffer = new byte[16_384];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = into.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (!silent) {
                    out.write(buffer, 0, read);
                }
            }
        } catch (IOException e) {
            // One side has gone.
        }
        if (!silent) {
            close(from);
            close(into);
        }
    }

    private static void daemon(String name, Runnable work) {
        var thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        sockets.forEach(SilentLine::close);
    }
}
