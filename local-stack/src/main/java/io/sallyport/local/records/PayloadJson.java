package io.sallyport.local.records;

import java.io.StringWriter;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Payloads that are JSON, as one line of JSON: members, their order and the text of numbers stay as they were sent. */
final class PayloadJson {
    private static final JsonFactory FACTORY = new JsonFactory();

    private PayloadJson() {}

    /** Empty where the bytes are not exactly one JSON value. */
    static Optional<String> of(byte[] payload) {
        if (payload.length == 0 || !mayStartJson(payload)) {
            return Optional.empty();
        }
        var text = new StringWriter(payload.length);
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), payload);
                JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            if (parser.nextToken() == null) {
                return Optional.empty();
            }
            generator.copyCurrentStructureExact(parser);
            if (parser.nextToken() != null) {
                return Optional.empty();
            }
        } catch (JacksonException e) {
            return Optional.empty();
        }
        return Optional.of(text.toString());
    }

    /** Most binary payloads are told from their first byte, without an exception. */
    private static boolean mayStartJson(byte[] payload) {
        return switch (payload[0]) {
            case '{', '[', '"', '-', 't', 'f', 'n', ' ', '\t', '\r', '\n' -> true;
            default -> payload[0] >= '0' && payload[0] <= '9';
        };
    }
}
