package io.sallyport.fanout.selector;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.core.FanoutLimits;
import io.sallyport.proto.link.v1.HostMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SelectorLanguageTest {
    private final Estate estate = new Estate()
            .with(
                    "lin-49",
                    HostMetadata.newBuilder()
                            .setOsFamily("linux")
                            .setOsVersion("4.9")
                            .setHostname("web-01")
                            .addCapabilities("isolate")
                            .addCapabilities("scan")
                            .putTags("site", "lab")
                            .putTags("owner of it", "me"))
            .with(
                    "lin-410",
                    HostMetadata.newBuilder()
                            .setOsFamily("linux")
                            .setOsVersion("4.10.2")
                            .putTags("site", "test site"),
                    Estate.NOW_US - 10 * 86_400_000_000L)
            .with(
                    "win",
                    HostMetadata.newBuilder()
                            .setOsFamily("windows")
                            .setOsVersion("10.0.19045")
                            .putTags("site", ""))
            .with("mute", HostMetadata.newBuilder().setHostname("mute"))
            .registered("never");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "os.family = linux                          | lin-410 lin-49",
                "os.family != linux                         | win",
                "not os.family = linux                      | win",
                "not (os.family = linux or os.family = aix) | win",
                "not has(os.family)                         | mute never",
                "os.family = linux or hostname = mute       | lin-410 lin-49 mute",
                "os.family = linux and hostname = mute      |",
                "not (os.family = linux and hostname = x)   | lin-49 win mute",
                "os.version >= 4.10                         | lin-410 win",
                "os.version < 4.10                          | lin-49",
                "os.version = 4.9.0                         | lin-49",
                "os.version in (4.9.0, 10.0.19045)          | lin-49 win",
                "os.version not in (4.9)                    | lin-410 win",
                "OS.family = linux OR os.family = windows   | !UNKNOWN_KEY",
                "NOT os.family IN (linux) AND HAS(os.version) | win",
                "tag.site = lab                             | lin-49",
                "tag.site in (lab, \"test site\")           | lin-410 lin-49",
                "tag.site = ''                              | win",
                "tag.\"owner of it\" = me                   | lin-49",
                "has(tag.site)                              | lin-410 lin-49 win",
                "capability = isolate                       | lin-49",
                "capability != isolate                      |",
                "capability in (scan, other)                | lin-49",
                "not has(capability)                        | lin-410 mute never win",
                "last_seen < 2h                             | lin-49 mute win",
                "last_seen > 1w                             | lin-410",
                "last_seen < 2020-01-01T00:00:00Z           |",
                "last_seen > 2020-01-01T00:00:00Z           | lin-410 lin-49 mute win",
                "not last_seen < 2h                         | lin-410",
                "hostname = 'web-01' and (os.family=linux)  | lin-49",
                "os.family = 'lin\\'ux'                     |",
                "connected                                  |",
                "not connected and os.family = windows      | win",
                "os.family = Linux                          |",
                "os.family = ''                             |",
            })
    void shouldMatch(String selector, String expected) {
        if (expected != null && expected.startsWith("!")) {
            assertThat(estate.refusal(selector).code().name()).isEqualTo(expected.substring(1));
            return;
        }
        assertThat(estate.select(selector))
                .containsExactlyInAnyOrder(expected == null ? new String[0] : expected.split(" "));
    }

    /** {@code not} binds closest, then {@code and}, then {@code or}. */
    @Test
    void shouldBindAsDescribed() {
        assertThat(estate.select("os.family = windows or os.family = linux and os.version = 4.9"))
                .containsExactly("lin-49", "win");
        assertThat(estate.select("(os.family = windows or os.family = linux) and os.version = 4.9"))
                .containsExactly("lin-49");
        assertThat(estate.select("not os.family = linux and os.version > 1")).containsExactly("win");
    }

    @Test
    void shouldTakeSessionsOfADeadNodeForDisconnected() {
        estate.connected("lin-49", 1)
                .connected("win", 2)
                .sign(1, Estate.NOW_US - 31_000_000)
                .sign(2, Estate.NOW_US);

        assertThat(estate.select("connected")).containsExactly("win");
        assertThat(estate.select("connected in (true, false)")).hasSize(5);
        assertThat(estate.select("last_seen < 1s")).containsExactly("win");
    }

    @Test
    void shouldLookAtTheNewestVersionOfMetadataOnly() {
        estate.with(
                "lin-49",
                HostMetadata.newBuilder()
                        .setOsFamily("linux")
                        .setOsVersion("5.0")
                        .putTags("site", "prod"));

        assertThat(estate.select("os.version = 4.9")).isEmpty();
        assertThat(estate.select("tag.site = prod")).containsExactly("lin-49");
        // No sensor has that tag any more.
        assertThat(estate.refusal("tag.\"owner of it\" = me").code()).isEqualTo(ErrorCode.UNKNOWN_KEY);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "os.famly = linux               | UNKNOWN_KEY     | 1",
                "os.family = linux and sit = a  | UNKNOWN_KEY     | 23",
                "tag.nobody = 1                 | UNKNOWN_KEY     | 1",
                "os.family = linux or tag.x = 1 | UNKNOWN_KEY     | 22",
                "tag. = 1                       | UNKNOWN_KEY     | 1",
                "os.family                      | SELECTOR_SYNTAX | 1",
                "os.family =                    | SELECTOR_SYNTAX | 12",
                "os.family = = linux            | SELECTOR_SYNTAX | 13",
                "(os.family = linux             | SELECTOR_SYNTAX | 19",
                "os.family = linux)             | SELECTOR_SYNTAX | 18",
                "os.family = 'linux             | SELECTOR_SYNTAX | 13",
                "os.family ~ linux              | SELECTOR_SYNTAX | 11",
                "os.family in ()                | SELECTOR_SYNTAX | 15",
                "os.family == linux             | SELECTOR_SYNTAX | 12",
                "hostname.'a' = b               | SELECTOR_SYNTAX | 1",
                "capability > isolate           | SELECTOR_TYPE   | 1",
                "connected = maybe              | SELECTOR_TYPE   | 13",
                "connected < true               | SELECTOR_TYPE   | 1",
                "last_seen = yesterday          | SELECTOR_TYPE   | 13",
                "last_seen in (1h)              | SELECTOR_TYPE   | 1",
                "os.version < ''                | SELECTOR_TYPE   | 14",
            })
    void shouldSayWhereItIsWrong(String selector, ErrorCode code, int position) {
        var refusal = estate.refusal(selector);
        assertThat(refusal.code()).as(refusal.detail()).isEqualTo(code);
        assertThat(refusal.position()).as(refusal.detail()).isEqualTo(position);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\n "})
    void shouldNotTakeNothingForEverything(String selector) {
        assertThat(estate.refusal(selector).code()).isEqualTo(ErrorCode.EMPTY_SELECTOR);
    }

    @Test
    void shouldBoundLengthAndDepth() {
        String term = "os.family = linux";
        assertThat(estate.select("(".repeat(64) + term + ")".repeat(64))).hasSize(2);
        assertThat(estate.refusal("(".repeat(65) + term + ")".repeat(65)).position())
                .isEqualTo(65);
        assertThat(estate.select("not ".repeat(64) + term)).hasSize(2);
        assertThat(estate.refusal("not ".repeat(65) + term).code()).isEqualTo(ErrorCode.SELECTOR_SYNTAX);
        assertThat(estate.refusal("(".repeat(4_096)).code()).isEqualTo(ErrorCode.SELECTOR_SYNTAX);

        String longest = term + " ".repeat(FanoutLimits.MAX_SELECTOR_BYTES - term.length());
        assertThat(estate.select(longest)).hasSize(2);
        assertThat(estate.refusal(longest + " ").code()).isEqualTo(ErrorCode.SELECTOR_SYNTAX);
        assertThat(estate.refusal("os.family = '" + "é".repeat(2_048) + "'").code())
                .isEqualTo(ErrorCode.SELECTOR_SYNTAX);
    }

    /** As wide as the length allows, on a stack as small as a thread's may be. */
    @Test
    void shouldNotNeedAStackAsDeepAsTheSelectorIsWide() throws InterruptedException {
        String list = "os.family in (" + "a,".repeat(2_000) + "linux)";
        String chain = "connected or ".repeat(300) + "connected";
        var failure = new Throwable[1];
        var small = new Thread(
                null,
                () -> {
                    assertThat(estate.select(list)).hasSize(2);
                    assertThat(estate.select(chain)).isEmpty();
                },
                "small",
                256 << 10);
        small.setUncaughtExceptionHandler((thread, thrown) -> failure[0] = thrown);
        small.start();
        small.join();
        assertThat(failure[0]).isNull();
    }
}
