package io.sallyport.session.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.session.core.FrameRules;
import io.sallyport.session.core.Inbound;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Cuts decrypted bytes into frames. What was received is kept as it came until a frame is complete, and then copied
 * once, into the array that for a BATCH becomes the value in the log. Memory follows what was received, never what a
 * length field announces; bad bytes become an {@link Inbound.Broken} and everything after them is thrown away.
 */
final class FrameDecoder extends ChannelInboundHandlerAdapter {
    private static final int HEADER_BYTES = FrameType.LENGTH_BYTES + 1;
    /** A received buffer below this is copied together with others: it would cost more than it holds. */
    private static final int SMALL_BYTES = 1_024;

    private static final int GATHER_BYTES = 4_096;

    private final LinkLimits limits;
    private final UnfinishedFrames unfinished;
    private final UnfinishedFrames.Holder holder;
    private final ArrayDeque<ByteBuf> chunks = new ArrayDeque<>();
    /** The last chunk is one that small buffers are copied into. */
    private boolean gathering;

    private int available;
    /** Of the frame whose header was read; null between frames. */
    private @Nullable FrameType type;

    private int bodyLength;
    private boolean accepted;
    private boolean held;
    private boolean discarding;
    private boolean decoding;
    private long reportedBytes;
    private @Nullable ChannelHandlerContext context;

    /** @param holder is told where this node runs out of memory for unfinished frames and this is the oldest */
    FrameDecoder(LinkLimits limits, UnfinishedFrames unfinished, UnfinishedFrames.Holder holder) {
        this.limits = limits;
        this.unfinished = unfinished;
        this.holder = holder;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    /** ACCEPT goes out: from here on the frames of a session may come. */
    void accepted() {
        accepted = true;
    }

    /** Gives out no more frames until {@link #resume}; what was received stays. */
    void hold() {
        held = true;
    }

    void resume() {
        held = false;
        ChannelHandlerContext ctx = Objects.requireNonNull(context);
        decode(ctx);
        // Ends the turn for the handler behind, as the end of a read would.
        ctx.fireChannelReadComplete();
    }

    /** The connection is over: whatever is here and whatever still comes is thrown away. */
    void discard() {
        discarding = true;
        for (ByteBuf chunk : chunks) {
            chunk.release();
        }
        chunks.clear();
        available = 0;
        type = null;
        report(true);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        if (discarding || !in.isReadable()) {
            in.release();
            return;
        }
        keep(ctx, in);
        decode(ctx);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        discard();
    }

    private void keep(ChannelHandlerContext ctx, ByteBuf in) {
        int bytes = in.readableBytes();
        available += bytes;
        if (bytes >= SMALL_BYTES || chunks.isEmpty()) {
            chunks.add(in);
            gathering = false;
            return;
        }
        ByteBuf last = chunks.getLast();
        if (!gathering || last.writableBytes() < bytes) {
            last = ctx.alloc().heapBuffer(GATHER_BYTES, GATHER_BYTES);
            chunks.add(last);
            gathering = true;
        }
        last.writeBytes(in);
        in.release();
    }

    private void decode(ChannelHandlerContext ctx) {
        if (decoding) {
            return;
        }
        decoding = true;
        boolean finishedOne = false;
        while (!held && !discarding && readHeader(ctx) && available >= bodyLength) {
            byte[] body = take(bodyLength);
            var frame = new Inbound.Frame(Objects.requireNonNull(type), body);
            type = null;
            finishedOne = true;
            ctx.fireChannelRead(frame);
        }
        decoding = false;
        shrink(ctx);
        report(finishedOne);
    }

    /** Whether the header of a frame that may come is there. */
    private boolean readHeader(ChannelHandlerContext ctx) {
        if (type != null) {
            return true;
        }
        if (available < FrameType.LENGTH_BYTES) {
            return false;
        }
        long length = 0;
        for (int i = 0; i < FrameType.LENGTH_BYTES; i++) {
            length = (length << 8) | (byteAt(i) & 0xFF);
        }
        Inbound.Broken broken = FrameRules.checkLength(length, accepted, limits);
        if (broken != null) {
            giveUp(ctx, broken);
            return false;
        }
        if (available < HEADER_BYTES) {
            return false;
        }
        FrameRules.TypeCheck check =
                FrameRules.checkType(byteAt(FrameType.LENGTH_BYTES) & 0xFF, (int) length - 1, accepted);
        if (check instanceof FrameRules.TypeCheck.Denied denied) {
            giveUp(ctx, denied.broken());
            return false;
        }
        type = ((FrameRules.TypeCheck.Allowed) check).type();
        bodyLength = (int) length - 1;
        take(HEADER_BYTES);
        return true;
    }

    private void giveUp(ChannelHandlerContext ctx, Inbound.Broken broken) {
        discard();
        ctx.fireChannelRead(broken);
    }

    private byte byteAt(int index) {
        int at = index;
        for (ByteBuf chunk : chunks) {
            if (at < chunk.readableBytes()) {
                return chunk.getByte(chunk.readerIndex() + at);
            }
            at -= chunk.readableBytes();
        }
        throw new IndexOutOfBoundsException(index);
    }

    private byte[] take(int bytes) {
        var taken = new byte[bytes];
        int done = 0;
        while (done < bytes) {
            ByteBuf chunk = chunks.getFirst();
            int part = Math.min(bytes - done, chunk.readableBytes());
            chunk.readBytes(taken, done, part);
            done += part;
            if (!chunk.isReadable()) {
                chunks.removeFirst().release();
            }
        }
        available -= bytes;
        return taken;
    }

    /** A few bytes must not keep the large buffer alive that they came in. */
    private void shrink(ChannelHandlerContext ctx) {
        ByteBuf last = chunks.peekLast();
        if (last == null || gathering || last.readableBytes() >= last.capacity() / 4) {
            return;
        }
        gathering = last.readableBytes() < SMALL_BYTES;
        int size = gathering ? GATHER_BYTES : last.readableBytes();
        ByteBuf small = ctx.alloc().heapBuffer(size, size);
        small.writeBytes(last);
        last.release();
        chunks.removeLast();
        chunks.add(small);
    }

    private void report(boolean finishedOne) {
        if (available != reportedBytes || (finishedOne && available > 0)) {
            reportedBytes = available;
            unfinished.holds(holder, available, finishedOne);
        }
    }
}
