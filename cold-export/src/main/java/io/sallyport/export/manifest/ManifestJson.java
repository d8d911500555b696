package io.sallyport.export.manifest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import io.sallyport.export.core.Intent;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.PosRange;
import io.sallyport.export.core.Position;
import java.io.IOException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** Intents and manifests as JSON, in the order of their fields: one value has one text. */
public final class ManifestJson {
    private static final JsonMapper JSON = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            // A field that is not there is not one that is empty: somebody took it away.
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .addMixIn(Position.class, PositionJson.class)
            .addMixIn(Manifest.class, ManifestMixIn.class)
            .build();

    /** Texts that were hashed before there were takeovers stay as they are. */
    private interface PositionJson {
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        @JsonSetter(nulls = Nulls.AS_EMPTY)
        java.util.List<Position.Taken> takeovers();
    }

    /** The same of holes, which there are in hardly any. */
    private interface ManifestMixIn {
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        @JsonSetter(nulls = Nulls.AS_EMPTY)
        java.util.List<PosRange> holes();
    }

    private ManifestJson() {}

    public static byte[] encode(Intent intent) {
        return JSON.writeValueAsBytes(intent);
    }

    public static byte[] encode(Manifest manifest) {
        return JSON.writeValueAsBytes(manifest);
    }

    /** @throws IOException where the bytes are no intent */
    public static Intent intent(byte[] bytes) throws IOException {
        return decode(bytes, Intent.class);
    }

    /** @throws IOException where the bytes are no manifest */
    public static Manifest manifest(byte[] bytes) throws IOException {
        return decode(bytes, Manifest.class);
    }

    private static <T> T decode(byte[] bytes, Class<T> type) throws IOException {
        try {
            T value = JSON.readValue(bytes, type);
            if (value == null) {
                throw new IOException("null instead of an object");
            }
            return value;
        } catch (JacksonException | NullPointerException e) {
            throw new IOException("not a readable " + type.getSimpleName(), e);
        }
    }
}
