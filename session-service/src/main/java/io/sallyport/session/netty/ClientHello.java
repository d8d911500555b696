package io.sallyport.session.netty;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * What a client says of itself before TLS begins (RFC 8446, section 4.1.2). Nothing of it is proved.
 *
 * @param serverName that it wants to reach, in lower case; empty where it names none
 * @param presentsTicket it wants to resume a session
 */
record ClientHello(String serverName, boolean presentsTicket) {
    static final ClientHello UNREADABLE = new ClientHello("", false);

    private static final int VERSION_AND_RANDOM_BYTES = 34;
    private static final int SERVER_NAME = 0;
    private static final int SESSION_TICKET = 35;
    private static final int PRE_SHARED_KEY = 41;
    /** List length, type and name length. */
    private static final int SERVER_NAME_HEADER_BYTES = 5;

    /** @param body of the handshake message; what cannot be read is left to TLS itself to refuse */
    static ClientHello of(ByteBuf body) {
        try {
            ByteBuf in = body.slice();
            in.skipBytes(VERSION_AND_RANDOM_BYTES);
            in.skipBytes(in.readUnsignedByte());
            in.skipBytes(in.readUnsignedShort());
            in.skipBytes(in.readUnsignedByte());
            ByteBuf extensions = in.readSlice(in.readUnsignedShort());
            String name = "";
            boolean ticket = false;
            while (extensions.isReadable()) {
                int type = extensions.readUnsignedShort();
                ByteBuf extension = extensions.readSlice(extensions.readUnsignedShort());
                if (type == SERVER_NAME && extension.readableBytes() > SERVER_NAME_HEADER_BYTES) {
                    name = extension
                            .skipBytes(SERVER_NAME_HEADER_BYTES)
                            .toString(StandardCharsets.US_ASCII)
                            .toLowerCase(Locale.ROOT);
                }
                ticket |= type == PRE_SHARED_KEY || (type == SESSION_TICKET && extension.isReadable());
            }
            return new ClientHello(name, ticket);
        } catch (IndexOutOfBoundsException e) {
            return UNREADABLE;
        }
    }
}
