package io.sallyport.local.records;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.util.JsonFormat;
import java.util.Base64;
import tools.jackson.core.io.JsonStringEncoder;

/** One line of JSON that is put together from fields and from whole messages. */
final class JsonLine {
    /** Field names as in the schema, 64-bit numbers as strings, enums by name, bytes as base64; no default left out. */
    private static final JsonFormat.Printer MESSAGES = JsonFormat.printer()
            .preservingProtoFieldNames()
            .alwaysPrintFieldsWithNoPresence()
            .omittingInsignificantWhitespace();

    private static final JsonStringEncoder QUOTE = JsonStringEncoder.getInstance();

    private final StringBuilder text = new StringBuilder(512).append('{');

    JsonLine string(String name, String value) {
        name(name).append('"');
        QUOTE.quoteAsString(value, text);
        text.append('"');
        return this;
    }

    JsonLine base64(String name, byte[] value) {
        name(name).append('"').append(Base64.getEncoder().encodeToString(value)).append('"');
        return this;
    }

    /** A number of at most 53 bits, or a boolean. */
    JsonLine literal(String name, Object value) {
        name(name).append(value);
        return this;
    }

    /** A 64-bit number: a string, since many readers of JSON keep only 53 bits. */
    JsonLine wide(String name, long value) {
        name(name).append('"').append(value).append('"');
        return this;
    }

    /** A value that is JSON already. */
    JsonLine json(String name, String value) {
        name(name).append(value);
        return this;
    }

    JsonLine message(String name, MessageOrBuilder message) {
        return json(name, print(message));
    }

    /** The fields of a message, as fields of this line. */
    JsonLine fields(MessageOrBuilder message) {
        String object = print(message);
        if (object.length() > 2) {
            comma();
            text.append(object, 1, object.length() - 1);
        }
        return this;
    }

    String end() {
        return text.append('}').toString();
    }

    private StringBuilder name(String name) {
        comma();
        return text.append('"').append(name).append("\":");
    }

    private void comma() {
        if (text.length() > 1) {
            text.append(',');
        }
    }

    private static String print(MessageOrBuilder message) {
        try {
            return MESSAGES.print(message);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a message without Any fields always prints", e);
        }
    }
}
