package io.sallyport.session.link;

import com.google.protobuf.MessageLite;
import io.sallyport.envelope.link.Ack;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.proto.link.v1.Accept;
import io.sallyport.proto.link.v1.Reject;
import io.sallyport.proto.link.v1.SensorStart;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** A sensor's end of the link: a blocking TLS socket that sends and reads frames, whatever they are. */
public final class SensorSocket implements AutoCloseable {
    private static final int TIMEOUT_MS = 60_000;

    private final SSLSocket socket;
    private final DataInputStream in;

    private SensorSocket(SSLSocket socket) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(socket.getInputStream());
    }

    public static SensorSocket connect(int port, SSLContext context) throws IOException {
        return connect(port, context, 0);
    }

    /** @param receiveBytes of the socket's receive buffer; 0 = the system's choice */
    public static SensorSocket connect(int port, SSLContext context, int receiveBytes) throws IOException {
        var plain = new Socket();
        if (receiveBytes > 0) {
            plain.setReceiveBufferSize(receiveBytes);
        }
        plain.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        var socket = (SSLSocket) context.getSocketFactory().createSocket(plain, "localhost", port, true);
        socket.setSoTimeout(TIMEOUT_MS);
        socket.setTcpNoDelay(true);
        socket.startHandshake();
        return new SensorSocket(socket);
    }

    /** One frame as received. */
    public record Frame(FrameType type, byte[] body) {}

    public SensorSocket raw(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    public SensorSocket send(FrameType type, byte[] body) throws IOException {
        return raw(Wire.frame(type, body));
    }

    public SensorSocket send(FrameType type, MessageLite body) throws IOException {
        return send(type, body.toByteArray());
    }

    /** The next frame that is no PING. */
    public byte[] readPastPings(FrameType expected) throws IOException {
        Frame frame = read();
        while (frame.type() == FrameType.PING) {
            frame = read();
        }
        if (frame.type() != expected) {
            throw new AssertionError("expected " + expected + " and got " + frame.type());
        }
        return frame.body();
    }

    /** The next frame; {@link EOFException} at the end. */
    public Frame read() throws IOException {
        int length = in.readInt();
        FrameType type = FrameType.of(in.readUnsignedByte()).orElseThrow();
        var body = new byte[length - 1];
        in.readFully(body);
        return new Frame(type, body);
    }

    public byte[] read(FrameType expected) throws IOException {
        Frame frame = read();
        if (frame.type() != expected) {
            String more = frame.type() == FrameType.REJECT ? " " + Reject.parseFrom(frame.body()) : "";
            throw new AssertionError("expected " + expected + " and got " + frame.type() + more);
        }
        return frame.body();
    }

    public Accept start(SensorStart start) throws IOException {
        send(FrameType.SENSOR_START, start);
        return Accept.parseFrom(read(FrameType.ACCEPT));
    }

    public Ack readAck() throws IOException {
        return Ack.read(ByteBuffer.wrap(readPastPings(FrameType.ACK))).orElseThrow();
    }

    /** Reads ACKs until one has this watermark; fails where one passes it. */
    public Ack readAckUpTo(long watermark) throws IOException {
        while (true) {
            Ack ack = readAck();
            if (ack.watermark() == watermark) {
                return ack;
            }
            if (ack.watermark() > watermark) {
                throw new AssertionError("ACK passed " + watermark + ": " + ack);
            }
        }
    }

    public Reject readReject() throws IOException {
        return Reject.parseFrom(read(FrameType.REJECT));
    }

    /** True at the end of the stream; fails where a frame comes instead. */
    public boolean isClosedByPeer() throws IOException {
        int next;
        try {
            next = in.read();
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            return true;
        }
        if (next >= 0) {
            throw new AssertionError("a byte instead of the end: " + next);
        }
        return true;
    }

    /** True where nothing comes within the time. */
    public boolean isSilentFor(int ms) throws IOException {
        socket.setSoTimeout(ms);
        try {
            in.read();
            return false;
        } catch (SocketTimeoutException e) {
            return true;
        } finally {
            socket.setSoTimeout(TIMEOUT_MS);
        }
    }

    public SSLSocket socket() {
        return socket;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
