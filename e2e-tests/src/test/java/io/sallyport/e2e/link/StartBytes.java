package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.UnknownFieldSet;
import io.sallyport.e2e.link.proto.HostMetadata;
import io.sallyport.e2e.link.proto.SensorStart;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** SENSOR_START bodies that a generated builder does not make. */
final class StartBytes {
    static final int CUSTOMER_ID = 2;
    static final int SENSOR_ID = 3;
    static final int TOKEN = 7;
    static final int HOST = 8;
    static final int LAST_STRING_OF_HOST = 16;

    private static final int MAX_TEXT_BYTES = 256;

    private StartBytes() {}

    /** A message, and then a length-delimited field with any bytes. The last occurrence of a field counts. */
    static byte[] with(byte[] message, int field, byte[] bytes) {
        var out = new ByteArrayOutputStream();
        try {
            out.write(message);
            var coded = CodedOutputStream.newInstance(out);
            coded.writeByteArray(field, bytes);
            coded.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /** A valid start of exactly this size; every string of it is within its limit. */
    static byte[] paddedTo(Sensor sensor, int bytes) {
        String longest = "t".repeat(MAX_TEXT_BYTES);
        for (int tags = 0; tags <= 64; tags++) {
            var host = HostMetadata.newBuilder();
            for (int i = 0; i < tags; i++) {
                host.putTags("tag-" + i, longest);
            }
            for (int lastBytes = 0; lastBytes <= MAX_TEXT_BYTES; lastBytes++) {
                host.setHostname("h".repeat(lastBytes));
                byte[] body = sensor.start().setHost(host).build().toByteArray();
                if (body.length == bytes) {
                    return body;
                }
                if (body.length < bytes - MAX_TEXT_BYTES) {
                    break;
                }
            }
        }
        throw new AssertionError("no start of " + bytes + " bytes");
    }

    /** Fields that version 1 does not know. */
    static SensorStart withUnknownFields(SensorStart start) {
        assertThat(start.getUnknownFields().asMap()).isEmpty();
        return start.toBuilder()
                .setUnknownFields(UnknownFieldSet.newBuilder()
                        .addField(
                                1_000,
                                UnknownFieldSet.Field.newBuilder().addVarint(7).build())
                        .build())
                .build();
    }
}
