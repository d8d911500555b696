package io.sallyport.e2e.link;

import io.sallyport.e2e.link.Received.End;
import io.sallyport.e2e.link.Received.Frame;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A TLS connection to the gateway that sends any bytes, and hands over what comes back as frames. One thread of its own
 * reads, and checks on the way what holds of every connection: known frame types of the gateway's direction only, and
 * nothing after a REJECT without batch_id.
 */
final class SensorClient implements AutoCloseable {
    /** How long anything is waited for: far above what a busy machine needs, and no promise of the page. */
    static final long PATIENCE_S = 20;

    private static final String TLS_13 = "TLSv1.3";

    private final SSLSocket socket;
    private final ReentrantLock writing = new ReentrantLock();
    private final BlockingDeque<Received> received = new LinkedBlockingDeque<>();
    private volatile boolean answersPings = true;
    private volatile long patienceS = PATIENCE_S;
    private volatile @Nullable AssertionError broken;

    private SensorClient(SSLSocket socket) {
        this.socket = socket;
    }

    static SensorClient connect(InetSocketAddress gateway, SSLContext context) {
        return connect(gateway, context, TLS_13, Integer.MAX_VALUE, 0);
    }

    static SensorClient connectWith(String protocol, InetSocketAddress gateway, SSLContext context) {
        return connect(gateway, context, protocol, Integer.MAX_VALUE, 0);
    }

    /** Reads one frame and then no more, behind a small receive buffer. */
    static SensorClient connectDeaf(InetSocketAddress gateway, SSLContext context) {
        return connect(gateway, context, TLS_13, 1, 4_096);
    }

    private static SensorClient connect(
            InetSocketAddress gateway, SSLContext context, String protocol, int readsFrames, int receiveBytes) {
        try {
            var plain = new Socket();
            if (receiveBytes > 0) {
                plain.setReceiveBufferSize(receiveBytes);
            }
            plain.setTcpNoDelay(true);
            plain.connect(gateway);
            var socket = (SSLSocket)
                    context.getSocketFactory().createSocket(plain, gateway.getHostString(), gateway.getPort(), true);
            var parameters = socket.getSSLParameters();
            parameters.setProtocols(new String[] {protocol});
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            var client = new SensorClient(socket);
            client.handshake();
            client.startReading(readsFrames);
            return client;
        } catch (IOException e) {
            throw new IllegalStateException("no connection to the gateway", e);
        }
    }

    /** A gateway may refuse a certificate within the handshake or after it: both are seen as the end of the stream. */
    private void handshake() {
        try {
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_S));
            socket.startHandshake();
            socket.setSoTimeout(0);
        } catch (IOException e) {
            received.add(new End(e));
        }
    }

    private void startReading(int frames) {
        var reader = new Thread(() -> read(frames), "link-client-reader");
        reader.setDaemon(true);
        reader.start();
    }

    private void read(int frames) {
        try {
            var in = new DataInputStream(socket.getInputStream());
            boolean over = false;
            for (int i = 0; i < frames; i++) {
                int first = in.read();
                if (first < 0) {
                    received.add(new End(null));
                    return;
                }
                byte[] rest = new byte[3];
                in.readFully(rest);
                long length =
                        (first & 0xFFL) << 24 | (rest[0] & 0xFFL) << 16 | (rest[1] & 0xFFL) << 8 | rest[2] & 0xFFL;
                check(length >= 1 && length <= Frames.MAX_FRAME_BYTES, "a frame of length " + length);
                var frame = new Frame(in.readUnsignedByte(), in.readNBytes((int) length - 1));
                check(frame.body().length == length - 1, "the stream ends within a frame");
                check(!over, "after a final REJECT: " + frame);
                over = handle(frame);
            }
        } catch (EOFException e) {
            broken = new AssertionError("the stream ends within a frame");
            received.add(new End(e));
        } catch (IOException e) {
            received.add(new End(e));
        } catch (AssertionError e) {
            broken = e;
            received.add(new End(null));
        }
    }

    /** @return whether nothing may follow */
    private boolean handle(Frame frame) throws IOException {
        switch (frame.type()) {
            case Frames.ACCEPT, Frames.ACK, Frames.DRAIN, Frames.MESSAGE, Frames.PONG -> received.add(frame);
            case Frames.REJECT -> {
                received.add(frame);
                return !frame.reject().hasBatchId();
            }
            case Frames.PING -> answer(frame);
            default -> check(false, "from the gateway: " + frame);
        }
        return false;
    }

    private void answer(Frame ping) throws IOException {
        check(ping.body().length <= 64, "a PING with " + ping.body().length + " bytes");
        if (!answersPings) {
            received.add(ping);
        } else if (writing.tryLock()) {
            // Where somebody is writing, that frame is the answer.
            try {
                socket.getOutputStream().write(Frames.frame(Frames.PONG, ping.body()));
            } finally {
                writing.unlock();
            }
        }
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    /** PINGs of the gateway are handed over from now on, and not answered. */
    void leavePingsUnanswered() {
        answersPings = false;
    }

    /** For what the page gives the gateway longer than anything else. */
    void setPatience(long seconds) {
        patienceS = seconds;
    }

    /** All parts in one write: one TLS record, where they fit. */
    void send(byte[]... parts) {
        try {
            write(Bytes.join(parts));
        } catch (IOException e) {
            // The gateway may have closed already; what it said before is what tests look at.
        }
    }

    /** @throws IOException where the connection is gone */
    void write(byte[] bytes) throws IOException {
        writing.lock();
        try {
            socket.getOutputStream().write(bytes);
        } finally {
            writing.unlock();
        }
    }

    /** In pieces of at most {@code pieceBytes}, each a TLS record and a TCP segment of its own. */
    void sendInPieces(byte[] bytes, int pieceBytes) {
        writing.lock();
        try {
            for (int at = 0; at < bytes.length; at += pieceBytes) {
                socket.getOutputStream().write(bytes, at, Math.min(pieceBytes, bytes.length - at));
            }
        } catch (IOException e) {
            // As above.
        } finally {
            writing.unlock();
        }
    }

    /** Next frame or end, waiting for it. PINGs that are answered do not count. */
    Received next() {
        try {
            Received next = received.poll(patienceS, TimeUnit.SECONDS);
            AssertionError wrong = broken;
            if (wrong != null) {
                throw wrong;
            }
            if (next == null) {
                throw new AssertionError("nothing came from the gateway for " + patienceS + " s");
            }
            if (next instanceof End) {
                received.add(next);
            }
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** What {@link #next} will give. */
    Received peek() {
        Received next = next();
        if (next instanceof Frame) {
            received.addFirst(next);
        }
        return next;
    }

    /** Frames up to the end of the stream, or until nothing comes for a while. */
    List<Frame> untilQuiet(long quietMs) throws InterruptedException {
        var frames = new ArrayList<Frame>();
        while (received.poll(quietMs, TimeUnit.MILLISECONDS) instanceof Frame frame) {
            frames.add(frame);
        }
        AssertionError wrong = broken;
        if (wrong != null) {
            throw wrong;
        }
        return frames;
    }

    /** Frames up to the end of the stream. */
    List<Frame> untilEnd() {
        var frames = new ArrayList<Frame>();
        while (next() instanceof Frame frame) {
            frames.add(frame);
        }
        return frames;
    }

    String protocol() {
        return socket.getSession().getProtocol();
    }

    /** Breaks the connection with a TCP reset, in the middle of whatever it is. */
    void reset() {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            // Gone already.
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // Gone already.
        }
    }
}
