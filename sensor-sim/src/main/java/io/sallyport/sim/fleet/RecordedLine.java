package io.sallyport.sim.fleet;

import io.sallyport.envelope.registry.EventTypes;
import io.sallyport.proto.log.v1.EventType;
import io.sallyport.sim.core.SensorEvent;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.json.JsonFactory;

/** One recorded event: {@code {"sensor":…,"type":…,"ts_us":…,"payload":…}}. */
record RecordedLine(String sensor, SensorEvent event) {
    private static final JsonFactory JSON = new JsonFactory();
    private static final Map<String, Integer> NUMBERS =
            EventTypes.seeded().stream().collect(Collectors.toMap(EventType::getName, EventType::getNumber));

    /**
     * Reads a line of UTF-8. The payload is cut out of it byte by byte, as it stands there.
     *
     * @throws IllegalArgumentException where the line is no such object
     */
    static RecordedLine read(byte[] line) {
        String sensor = "";
        int type = 0;
        long tsUs = Long.MIN_VALUE;
        byte[] payload = null;
        try (JsonParser parser = JSON.createParser(line)) {
            expect(parser.nextToken() == JsonToken.START_OBJECT, "not a JSON object");
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                switch (name) {
                    case "sensor" -> sensor = parser.getString();
                    case "type" ->
                        type = value == JsonToken.VALUE_NUMBER_INT ? parser.getIntValue() : number(parser.getString());
                    case "ts_us" -> tsUs = parser.getLongValue();
                    case "payload" -> {
                        int from = (int) parser.currentTokenLocation().getByteOffset();
                        parser.skipChildren();
                        parser.finishToken();
                        int to = (int) parser.currentLocation().getByteOffset();
                        payload = Arrays.copyOfRange(line, from, to);
                    }
                    default -> parser.skipChildren();
                }
            }
        } catch (JacksonException e) {
            throw new IllegalArgumentException(e.getOriginalMessage(), e);
        }
        expect(!sensor.isEmpty(), "no sensor");
        expect(type > 0 && type <= 0xFFFF, "no type");
        expect(tsUs != Long.MIN_VALUE, "no ts_us");
        if (payload == null) {
            throw new IllegalArgumentException("no payload");
        }
        return new RecordedLine(sensor, new SensorEvent(tsUs, type, 1, payload));
    }

    private static int number(String name) {
        Integer number = NUMBERS.get(name);
        if (number == null) {
            throw new IllegalArgumentException("an event type that is not known; write its number instead");
        }
        return number;
    }

    private static void expect(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
