package io.sallyport.export.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class CatalogTest {
    private static FileEntry file(String customer, String date, int part, long size) {
        return new FileEntry(customer + date + part, customer, date, 1, size, "");
    }

    private static Manifest manifest(long version, List<FileEntry> added, List<FileEntry> removed) {
        return new Manifest(
                ManifestKind.EXPORT,
                "c",
                0,
                version,
                "",
                "",
                0,
                List.of(),
                0,
                List.of(),
                List.of(),
                added,
                removed,
                Manifest.ProofFile.NONE,
                Position.START,
                "");
    }

    @Test
    void shouldHoldWhatWasAddedAndNotRemoved() {
        var catalog = new Catalog();
        FileEntry a = file("a", "2026-01-01", 0, 10);
        FileEntry b = file("b", "2026-01-02", 0, 10);
        catalog.apply(manifest(0, List.of(a, b), List.of()));
        catalog.apply(manifest(1, List.of(), List.of(a)));
        assertThat(catalog.files()).containsExactly(b);
        assertThat(catalog.isLive(a.path())).isFalse();
        assertThat(catalog.of("b")).containsExactly(b);
        assertThat(catalog.before("2026-01-02")).isEmpty();
        assertThat(catalog.before("2026-01-03")).containsExactly(b);
        assertThatThrownBy(() -> catalog.apply(manifest(3, List.of(), List.of())))
                .hasMessageContaining("manifest 2 is missing");
    }

    @Test
    void shouldMergeSmallFilesOfOneClosedDateWithinTheBound() {
        var catalog = new Catalog();
        catalog.apply(manifest(
                0,
                List.of(
                        file("a", "2026-01-01", 0, 10),
                        file("a", "2026-01-01", 1, 10),
                        file("a", "2026-01-01", 2, 99),
                        file("b", "2026-01-01", 0, 10),
                        file("c", "2026-01-01", 0, 30),
                        file("c", "2026-01-01", 1, 10),
                        file("c", "2026-01-01", 2, 10),
                        file("a", "2026-01-02", 0, 10),
                        file("a", "2026-01-02", 1, 10)),
                List.of()));
        // One file alone, large files and open dates stay.
        assertThat(catalog.compactable("2026-01-02", 50, 1_000, file -> true))
                .extracting(FileEntry::path)
                .containsExactly("a2026-01-010", "a2026-01-011", "c2026-01-010", "c2026-01-011", "c2026-01-012");
        assertThat(catalog.compactable("2026-01-02", 50, 40, file -> true))
                .extracting(FileEntry::path)
                .containsExactly("a2026-01-010", "a2026-01-011");
        assertThat(catalog.compactable(
                        "2026-01-02", 50, 1_000, file -> !file.path().equals("a2026-01-010")))
                .extracting(FileEntry::path)
                .containsExactly("c2026-01-010", "c2026-01-011", "c2026-01-012");
        assertThat(catalog.compactable("2026-01-01", 50, 1_000, file -> true)).isEmpty();
        assertThat(catalog.compactable("2026-01-02", 5, 1_000, file -> true)).isEmpty();
    }
}
