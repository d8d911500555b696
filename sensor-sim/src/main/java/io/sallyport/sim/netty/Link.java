package io.sallyport.sim.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.sallyport.envelope.link.FrameType;

/** One open connection. Belongs to the thread of its {@link LinkLoop}. */
public final class Link {
    private final Channel channel;

    Link(Channel channel) {
        this.channel = channel;
    }

    /** False where so much waits to be sent that BATCH frames should wait too. */
    public boolean isWritable() {
        return channel.isWritable();
    }

    /** Queues a small frame; {@link #flush()} sends it. */
    public void send(FrameType type, byte[] body) {
        ByteBuf frame = channel.alloc().directBuffer(FrameType.LENGTH_BYTES + 1 + body.length);
        frame.writeInt(1 + body.length).writeByte(type.code()).writeBytes(body);
        channel.write(frame, channel.voidPromise());
    }

    /** Queues the BATCH that the writer holds; {@link #flush()} sends it. Gives back the bytes of the frame. */
    public int send(BatchFrameWriter batch, long epoch, int batchId, int codec, int flags) {
        ByteBuf frame = batch.finish(epoch, batchId, codec, flags);
        int bytes = frame.readableBytes();
        channel.write(frame, channel.voidPromise());
        return bytes;
    }

    public void flush() {
        channel.flush();
    }

    /** Sends what is queued and closes; {@link LinkListener#linkDown} follows. */
    public void close() {
        channel.close();
    }
}
