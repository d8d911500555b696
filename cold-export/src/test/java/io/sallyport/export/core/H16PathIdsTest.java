package io.sallyport.export.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ids that mean something in a path. The link refuses them; the export would not trip over them either. */
class H16PathIdsTest {
    private static final List<String> IDS = List.of(
            "../cust-b",
            "a/b",
            "/cust-b",
            "cust-b/",
            "a=b",
            ".",
            "..",
            "a%",
            "a b",
            "__HIVE_DEFAULT_PARTITION__",
            "-",
            "",
            "cust-b");

    @Test
    void shouldGiveEachIdAFolderOfItsOwn() {
        var folders = new HashSet<String>();
        Path root = Path.of("/lake/structured");
        for (String id : IDS) {
            String folder = PartitionPath.ofCustomer(id);
            folders.add(folder);
            Path path = Path.of("/lake").resolve(folder).normalize();
            assertThat(path.getParent()).as(id).isEqualTo(root);
            assertThat(PartitionPath.customerOf(PartitionPath.of(id, "2026-11-30")))
                    .contains(id);
            // Reading or deleting the files of one touches nobody else's.
            for (String other : IDS) {
                assertThat(PartitionPath.of(other, "2026-11-30").startsWith(folder))
                        .isEqualTo(other.equals(id));
            }
            assertThat(folder).doesNotContain("__HIVE");
        }
        assertThat(folders).hasSameSizeAs(IDS);
    }
}
