package io.sallyport.export.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sallyport.export.core.FileEntry;
import io.sallyport.export.core.Intent;
import io.sallyport.export.core.Manifest;
import io.sallyport.export.core.ManifestKind;
import io.sallyport.export.core.PosRange;
import io.sallyport.export.core.Position;
import io.sallyport.export.core.Span;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The texts are a contract with readers, and are hashed: they do not change. */
class ManifestJsonTest {
    private static final Position FROM = new Position(5, 1, List.of(new Position.Tree(0, 2, 7)));
    private static final Position TO = new Position(9, 2, List.of(new Position.Tree(0, 3, 10)));
    private static final FileEntry FILE = new FileEntry("structured/x.parquet", "acme", "2026-11-30", 2, 99, "ab");
    private static final Intent INTENT =
            new Intent(ManifestKind.EXPORT, "local", 3, 1, "cd", 17, FROM, TO, List.of(FILE), "");
    private static final Manifest MANIFEST = new Manifest(
            ManifestKind.EXPORT,
            "local",
            3,
            1,
            "cd",
            "ef",
            17,
            List.of(new Span(0, 2, 3, 7, 10)),
            2,
            List.of(new PosRange(0, 7, 8)),
            List.of(),
            List.of(FILE),
            List.of(),
            new Manifest.ProofFile("_proof/y", 3, "01"),
            TO,
            "");

    @Test
    void shouldWriteTheDocumentedTexts() {
        String file = """
                {"path":"structured/x.parquet","customer":"acme","date":"2026-11-30","rows":2,"size":99,"sha256":"ab"}""";
        String to = """
                {"structured_offset":9,"proof_offset":2,"trees":[{"generation":0,"next_index":3,"next_pos":10}]}""";
        assertThat(text(ManifestJson.encode(INTENT))).isEqualTo("""
                        {"kind":"EXPORT","cell":"local","shard":3,"version":1,"previous":"cd","at_us":17,\
                        "from":{"structured_offset":5,"proof_offset":1,\
                        "trees":[{"generation":0,"next_index":2,"next_pos":7}]},\
                        "to":%s,"inputs":[%s],"subject":""}""".formatted(to, file));
        assertThat(text(ManifestJson.encode(MANIFEST))).isEqualTo("""
                        {"kind":"EXPORT","cell":"local","shard":3,"version":1,"previous":"cd","intent":"ef","at_us":17,\
                        "segments":[{"generation":0,"from_index":2,"to_index":3,"from_pos":7,"to_pos":10}],\
                        "rows":2,"missing":[{"generation":0,"from_pos":7,"to_pos":8}],"added":[%s],"removed":[],\
                        "proof":{"path":"_proof/y","size":3,"sha256":"01"},"position":%s,"statement":""}""".formatted(file, to));
    }

    @Test
    void shouldReadWhatItWrote() throws IOException {
        assertThat(ManifestJson.intent(ManifestJson.encode(INTENT))).isEqualTo(INTENT);
        assertThat(ManifestJson.manifest(ManifestJson.encode(MANIFEST))).isEqualTo(MANIFEST);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "null", "{", "[]", "{\"kind\":\"EXPORT\"}", "{\"kind\":\"OTHER\"}"})
    void shouldRefuseWhatIsNoManifest(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> ManifestJson.manifest(bytes)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> ManifestJson.intent(bytes)).isInstanceOf(IOException.class);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
