package io.sallyport.session.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ClientHelloTest {

    private static ByteBuf hello(ByteBuf... extensions) {
        ByteBuf all = Unpooled.wrappedBuffer(extensions);
        return Unpooled.buffer()
                .writeShort(0x0303)
                .writeZero(32) // random
                .writeByte(2) // session id
                .writeZero(2)
                .writeShort(4) // cipher suites
                .writeZero(4)
                .writeByte(1) // compression
                .writeZero(1)
                .writeShort(all.readableBytes())
                .writeBytes(all);
    }

    private static ByteBuf extension(int type, byte[] body) {
        return Unpooled.buffer().writeShort(type).writeShort(body.length).writeBytes(body);
    }

    private static ByteBuf serverName(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        ByteBuf body = Unpooled.buffer()
                .writeShort(bytes.length + 3)
                .writeByte(0) // host_name
                .writeShort(bytes.length)
                .writeBytes(bytes);
        return Unpooled.buffer().writeShort(0).writeShort(body.readableBytes()).writeBytes(body);
    }

    @Test
    void shouldReadNameAndTicket() {
        assertThat(ClientHello.of(hello(extension(43, new byte[3]), serverName("Cell-1.Example"))))
                .isEqualTo(new ClientHello("cell-1.example", false));
        assertThat(ClientHello.of(hello(serverName("a.b"), extension(41, new byte[40]))))
                .isEqualTo(new ClientHello("a.b", true));
        // TLS 1.2: an empty ticket only says that one would be taken.
        assertThat(ClientHello.of(hello(extension(35, new byte[0])))).isEqualTo(new ClientHello("", false));
        assertThat(ClientHello.of(hello(extension(35, new byte[8])))).isEqualTo(new ClientHello("", true));
    }

    @Test
    void shouldTakeWhateverComes() {
        ByteBuf whole = hello(serverName("a.b"), extension(41, new byte[4]));
        for (int length = 0; length < whole.readableBytes(); length++) {
            assertThat(ClientHello.of(whole.slice(0, length))).isEqualTo(ClientHello.UNREADABLE);
        }
        long seed = 4_711;
        var random = new Random(seed);
        for (int i = 0; i < 10_000; i++) {
            byte[] junk = new byte[random.nextInt(200)];
            random.nextBytes(junk);
            assertThat(ClientHello.of(Unpooled.wrappedBuffer(junk)))
                    .as("seed " + seed)
                    .isNotNull();
        }
    }
}
