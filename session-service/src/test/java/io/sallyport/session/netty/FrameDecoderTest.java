package io.sallyport.session.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.session.core.Inbound;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FrameDecoderTest {
    private final List<String> evicted = new ArrayList<>();
    private final UnfinishedFrames unfinished = new UnfinishedFrames(2 << 20);
    private final FrameDecoder decoder = new FrameDecoder(LinkLimits.DEFAULTS, unfinished, () -> evicted.add("one"));
    private final EmbeddedChannel channel = new EmbeddedChannel(decoder);

    private static byte[] frame(int type, byte[] body) {
        return ByteBuffer.allocate(5 + body.length)
                .putInt(1 + body.length)
                .put((byte) type)
                .put(body)
                .array();
    }

    private Inbound.Broken broken() {
        Object read = channel.readInbound();
        assertThat(read).isInstanceOf(Inbound.Broken.class);
        return (Inbound.Broken) read;
    }

    private void in(byte[] bytes) {
        channel.writeInbound(Unpooled.wrappedBuffer(bytes));
    }

    /** Golden bytes: a SKIP of version 1, field by field. */
    @Test
    void shouldReadAFrameByteByByte() {
        decoder.accepted();
        byte[] bytes = {
            0,
            0,
            0,
            23, // length: type and 22 bytes
            0x06, // SKIP
            0,
            0,
            0,
            2, // epoch
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            5, // from
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            9, // to
            0,
            1 // reason
        };
        for (byte b : bytes) {
            assertThat((Object) channel.readInbound()).isNull();
            in(new byte[] {b});
        }
        Inbound.Frame frame = channel.readInbound();
        assertThat(frame.type()).isEqualTo(FrameType.SKIP);
        assertThat(frame.body()).hasSize(22).startsWith(0, 0, 0, 2).endsWith(0, 1);
        assertThat(unfinished.totalBytes()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        // length before ACCEPT, code
        "0, false, FRAME_MALFORMED",
        "16385, false, FRAME_TOO_LARGE",
        "1048576, false, FRAME_TOO_LARGE",
        "2147483648, false, FRAME_TOO_LARGE",
        "4294967295, false, FRAME_TOO_LARGE",
        "1195725856, false, FRAME_TOO_LARGE",
        "0, true, FRAME_MALFORMED",
        "1048577, true, FRAME_TOO_LARGE",
        "2147483648, true, FRAME_TOO_LARGE",
        "4294967295, true, FRAME_TOO_LARGE"
    })
    void shouldDecideOnTheLengthAlone(long length, boolean accepted, RejectCode code) {
        if (accepted) {
            decoder.accepted();
        }
        in(ByteBuffer.allocate(4).putInt((int) length).array());
        assertThat(broken().code()).isEqualTo(code);
        // Nothing after it is read, and nothing is kept.
        in(new byte[1 << 20]);
        assertThat((Object) channel.readInbound()).isNull();
        assertThat(unfinished.totalBytes()).isZero();
    }

    @Test
    void shouldDecideOnTheTypeWithoutWaitingForTheBody() {
        in(new byte[] {0, 0, 0x10, 0, 0x04});
        assertThat(broken().code()).isEqualTo(RejectCode.PROTOCOL_VIOLATION);
    }

    @Test
    void shouldTakeALengthOfExactlyTheLimit() {
        decoder.accepted();
        in(frame(4, new byte[1_048_575]));
        Inbound.Frame frame = channel.readInbound();
        assertThat(frame.body()).hasSize(1_048_575);
    }

    @Test
    void shouldHoldBackFramesAndGiveThemLater() {
        decoder.accepted();
        decoder.hold();
        in(frame(0x0B, new byte[] {1}));
        in(frame(0x0B, new byte[] {2}));
        assertThat((Object) channel.readInbound()).isNull();
        assertThat(unfinished.totalBytes()).isEqualTo(12);
        decoder.resume();
        assertThat(((Inbound.Frame) channel.readInbound()).body()).containsExactly(1);
        assertThat(((Inbound.Frame) channel.readInbound()).body()).containsExactly(2);
        assertThat(unfinished.totalBytes()).isZero();
    }

    /** However the bytes are cut, the same frames come out, and every buffer is given back. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void shouldNotDependOnHowTheBytesAreCut(long seed) {
        var random = new Random(seed);
        decoder.accepted();
        var sent = new ArrayList<byte[]>();
        var stream = new java.io.ByteArrayOutputStream();
        for (int i = 0; i < 200; i++) {
            int size = random.nextInt(10) == 0 ? 20 + random.nextInt(100_000) : 20 + random.nextInt(300);
            byte[] body = new byte[size];
            random.nextBytes(body);
            sent.add(body);
            stream.writeBytes(frame(4, body));
        }
        byte[] all = stream.toByteArray();
        var buffers = new ArrayList<ByteBuf>();
        int at = 0;
        while (at < all.length) {
            int part = Math.min(all.length - at, 1 + random.nextInt(random.nextInt(5) == 0 ? 200_000 : 50));
            ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(Math.max(64, part));
            buffer.writeBytes(all, at, part);
            buffers.add(buffer);
            channel.writeInbound(buffer);
            at += part;
        }
        for (byte[] body : sent) {
            assertThat(((Inbound.Frame) channel.readInbound()).body())
                    .as("seed %d", seed)
                    .isEqualTo(body);
        }
        assertThat((Object) channel.readInbound()).isNull();
        assertThat(buffers).as("seed %d", seed).allMatch(buffer -> buffer.refCnt() == 0);
    }

    @Test
    void shouldNotKeepALargeBufferForAFewBytes() {
        decoder.accepted();
        var large = PooledByteBufAllocator.DEFAULT.directBuffer(256 << 10);
        large.writeBytes(frame(4, new byte[200_000])).writeBytes(new byte[] {0, 0, 1, 0, 4, 9, 9, 9});
        channel.writeInbound(large);
        assertThat((Object) channel.readInbound()).isNotNull();
        assertThat(large.refCnt()).isZero();
        // The header is read; three bytes of the body are kept.
        assertThat(unfinished.totalBytes()).isEqualTo(3);
    }

    /** One byte per TLS record, a megabyte of them: the cost must follow the bytes and not their number. */
    @Test
    void shouldPutTinyBuffersTogether() {
        decoder.accepted();
        in(new byte[] {0, 0x0F, (byte) 0xFF, (byte) 0xFF, 4});
        var buffers = new ArrayList<ByteBuf>();
        for (int i = 0; i < 10_000; i++) {
            ByteBuf one = Unpooled.buffer(1, 1).writeByte(i);
            buffers.add(one);
            channel.writeInbound(one);
        }
        assertThat(buffers.stream().filter(buffer -> buffer.refCnt() > 0)).hasSizeLessThan(2);
        assertThat(unfinished.totalBytes()).isEqualTo(10_000);
    }

    @Test
    void shouldEndTheOldestUnfinishedFrameWhereMemoryIsUsedUp() {
        var names = new ArrayList<String>();
        var channels = new ArrayList<EmbeddedChannel>();
        for (String name : List.of("a", "b", "c")) {
            var one = new FrameDecoder(LinkLimits.DEFAULTS, unfinished, () -> names.add(name));
            one.accepted();
            channels.add(new EmbeddedChannel(one));
        }
        byte[] half = java.util.Arrays.copyOf(frame(4, new byte[1_000_000]), 900_000);
        channels.get(0).writeInbound(Unpooled.wrappedBuffer(half));
        channels.get(1).writeInbound(Unpooled.wrappedBuffer(half));
        assertThat(names).isEmpty();
        channels.get(2).writeInbound(Unpooled.wrappedBuffer(half));
        assertThat(names).containsExactly("a");
        assertThat(unfinished.totalBytes()).isEqualTo(2 * 899_995);
        // A frame that is finished is not the oldest any more.
        channels.get(1).writeInbound(Unpooled.wrappedBuffer(new byte[100_005]));
        channels.get(1).writeInbound(Unpooled.wrappedBuffer(half));
        channels.get(0).writeInbound(Unpooled.wrappedBuffer(new byte[5]));
        channels.get(0).pipeline().removeFirst();
        in(half);
        assertThat(names).containsExactly("a", "c");
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    }
}
