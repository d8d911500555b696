package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.e2e.link.proto.RejectCode;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Section 2 of the page: a SENSOR_START must be complete within handshake_timeout of the TCP accept. */
class HandshakeTimeoutIT {
    /** Type 22 (handshake), TLS 1.0 as the record's version, 508 bytes: the head of a ClientHello, and no more. */
    private static final byte[] HEAD_OF_A_CLIENT_HELLO = {0x16, 0x03, 0x01, 0x01, (byte) 0xFC, 0x01, 0x00, 0x01};

    @Test
    void shouldTellTheTimeoutOnceTlsIsThere() {
        var sensor = Sensor.fresh("timeout");
        byte[] start = Frames.frame(Frames.SENSOR_START, sensor.start().build());
        // All wait at the same time.
        List<Session> sessions = new ArrayList<>();
        for (int sent : new int[] {0, 1, 4, 5, start.length - 1}) {
            sessions.add(Link.connect(sensor).send(Arrays.copyOf(start, sent)));
        }
        for (Session session : sessions) {
            session.expectFinalReject(RejectCode.HANDSHAKE_TIMEOUT);
            session.close();
        }
    }

    @Test
    void shouldJustCloseWhereThereIsNoTls() throws IOException {
        List<Socket> sockets = new ArrayList<>();
        for (byte[] sent : new byte[][] {{}, {0x16}, HEAD_OF_A_CLIENT_HELLO}) {
            for (var listener :
                    List.of(Link.target().mtlsListener(), Link.target().tokenListener())) {
                var socket = new Socket(listener.getAddress(), listener.getPort());
                socket.getOutputStream().write(sent);
                sockets.add(socket);
            }
        }
        for (Socket socket : sockets) {
            assertThat(PlainTcp.untilClosed(socket))
                    .as("bytes from the gateway")
                    .isEmpty();
        }
    }

    @Test
    void shouldCloseOnBytesThatAreNoTls() throws IOException {
        try (var socket = new Socket(
                Link.target().mtlsListener().getAddress(),
                Link.target().mtlsListener().getPort())) {
            socket.getOutputStream().write(Bytes.ascii("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
            byte[] answer = PlainTcp.untilClosed(socket);
            // At most a TLS alert: type 21, version, length 2, level, description.
            assertThat(answer.length).isLessThanOrEqualTo(7);
            assertThat(answer.length == 0 || answer[0] == 0x15).isTrue();
        }
    }
}
