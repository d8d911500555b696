package io.sallyport.session.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.link.v1.SensorStart;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StartCheckTest {
    private final Facts facts = new Facts();

    /** Facts that a test breaks one by one, and which of them were asked for. */
    private static final class Facts implements StartFacts {
        private final List<String> asked = new ArrayList<>();
        private boolean credential = true;
        private boolean speaksFor = true;
        private boolean loaded = true;
        private boolean active = true;
        private boolean draining;
        private boolean moved;
        private boolean room = true;

        @Override
        public CredentialCheck credential(String token) {
            asked.add("credential");
            return credential
                    ? new CredentialCheck.Holds(new Credential() {
                        @Override
                        public boolean speaksFor(SensorKey sensor) {
                            return speaksFor;
                        }

                        @Override
                        public String reference() {
                            return "test";
                        }
                    })
                    : new CredentialCheck.Fails("no");
        }

        @Override
        public boolean isControlDataLoaded() {
            asked.add("loaded");
            return loaded;
        }

        @Override
        public CustomerStanding standing(String customerId) {
            asked.add("active");
            return active ? CustomerStanding.ACTIVE : CustomerStanding.INACTIVE;
        }

        @Override
        public boolean isDraining() {
            return draining;
        }

        @Override
        public Optional<String> movedTo(String customerId) {
            return moved ? Optional.of("cell-2:7443") : Optional.empty();
        }

        @Override
        public Optional<Refusal> admission(SensorKey sensor) {
            return room
                    ? Optional.empty()
                    : Optional.of(Refusal.retry(RejectCode.ADMISSION_LIMITED, "the node is full", 5_000));
        }
    }

    private static SensorStart.Builder start() {
        return SensorStart.newBuilder()
                .setProtocolVersion(1)
                .setCustomerId("acme")
                .setSensorId("s-1")
                .setNextSeq(1);
    }

    private Refusal refused(byte[] body) {
        var outcome = StartCheck.check(body, facts);
        assertThat(outcome).isInstanceOf(StartCheck.Outcome.Refused.class);
        return ((StartCheck.Outcome.Refused) outcome).refusal();
    }

    private void assertRefused(SensorStart.Builder start, RejectCode code) {
        assertThat(refused(start.build().toByteArray()).code()).isEqualTo(code);
    }

    private void assertPassed(SensorStart.Builder start) {
        assertThat(StartCheck.check(start.build().toByteArray(), facts)).isInstanceOf(StartCheck.Outcome.Passed.class);
    }

    @Test
    void shouldPassAGoodStart() {
        assertPassed(start());
        assertPassed(start().setEpoch(-1).setNextSeq(Long.MIN_VALUE).setWatermark(Long.MAX_VALUE));
    }

    @Test
    void shouldCheckInTheOrderOfTheContract() {
        // Everything is wrong; each step mends the first.
        facts.credential = false;
        facts.speaksFor = false;
        facts.loaded = false;
        facts.active = false;
        facts.draining = true;
        facts.moved = true;
        facts.room = false;
        SensorStart.Builder start =
                start().setProtocolVersion(2).setSensorId("").setNextSeq(0);
        assertRefused(start, RejectCode.FRAME_MALFORMED);
        assertRefused(start.setNextSeq(1), RejectCode.UNSUPPORTED_VERSION);
        assertRefused(start.setProtocolVersion(1), RejectCode.BAD_IDENTITY);
        assertThat(facts.asked).isEmpty();
        assertRefused(start.setSensorId("s-1"), RejectCode.UNAUTHENTICATED);
        assertThat(facts.asked).containsExactly("credential");
        facts.credential = true;
        assertRefused(start, RejectCode.IDENTITY_MISMATCH);
        assertThat(facts.asked).doesNotContain("active");
        facts.speaksFor = true;
        assertRefused(start, RejectCode.AUTHORITY_UNAVAILABLE);
        facts.loaded = true;
        assertRefused(start, RejectCode.UNKNOWN_CUSTOMER);
        facts.active = true;
        assertRefused(start, RejectCode.DRAINING);
        facts.draining = false;
        Refusal moved = refused(start.build().toByteArray());
        assertThat(moved.code()).isEqualTo(RejectCode.MOVED);
        assertThat(moved.endpoint()).isEqualTo("cell-2:7443");
        facts.moved = false;
        assertRefused(start, RejectCode.ADMISSION_LIMITED);
        facts.room = true;
        assertPassed(start);
    }

    @Test
    void shouldRefuseNumbersOutOfRange() {
        assertRefused(start().setEpoch(0), RejectCode.FRAME_MALFORMED);
        assertRefused(start().setNextSeq(0), RejectCode.FRAME_MALFORMED);
        assertRefused(start().setNextSeq(Long.MIN_VALUE + 1), RejectCode.FRAME_MALFORMED);
        assertRefused(start().setNextSeq(-1), RejectCode.FRAME_MALFORMED);
        assertRefused(start().setWatermark(1), RejectCode.FRAME_MALFORMED);
        assertRefused(start().setWatermark(-1).setNextSeq(5), RejectCode.FRAME_MALFORMED);
    }

    @Test
    void shouldRefuseHostMetadataBeyondItsLimits() {
        assertPassed(start().setHost(HostMetadata.newBuilder().setHostname("h".repeat(256))));
        assertRefused(
                start().setHost(HostMetadata.newBuilder().setHostname("h".repeat(257))), RejectCode.FRAME_MALFORMED);
        // 100 characters of four bytes each: the limit is in bytes.
        assertRefused(
                start().setHost(HostMetadata.newBuilder().setKernel("\uD83D\uDE00".repeat(100))),
                RejectCode.FRAME_MALFORMED);
        var host = HostMetadata.newBuilder();
        for (int i = 0; i < 64; i++) {
            host.addCapabilities("c" + i).putTags("t" + i, "v");
        }
        assertPassed(start().setHost(host));
        assertRefused(start().setHost(host.clone().addCapabilities("c")), RejectCode.FRAME_MALFORMED);
        assertRefused(start().setHost(host.clone().putTags("t", "v")), RejectCode.FRAME_MALFORMED);
        assertRefused(
                start().setHost(HostMetadata.newBuilder().putTags("t".repeat(257), "v")), RejectCode.FRAME_MALFORMED);
        assertRefused(
                start().setHost(HostMetadata.newBuilder().putTags("t", "v".repeat(257))), RejectCode.FRAME_MALFORMED);
        assertRefused(
                start().setHost(HostMetadata.newBuilder().addCapabilities("c".repeat(257))),
                RejectCode.FRAME_MALFORMED);
    }

    @Test
    void shouldRefuseInvalidUtf8AnywhereAndTornMessages() throws IOException {
        var bytes = new byte[] {(byte) 0xC3, 0x28};
        assertThat(refused(withField(3, bytes)).code()).isEqualTo(RejectCode.FRAME_MALFORMED);
        assertThat(refused(withField(7, bytes)).code()).isEqualTo(RejectCode.FRAME_MALFORMED);
        assertThat(refused(withField(8, field(2, bytes))).code()).isEqualTo(RejectCode.FRAME_MALFORMED);
        assertThat(refused(withField(8, field(17, bytes))).code()).isEqualTo(RejectCode.FRAME_MALFORMED);
        // A tag whose key, and one whose value, is no text.
        assertThat(refused(withField(8, field(18, field(1, bytes)))).code()).isEqualTo(RejectCode.FRAME_MALFORMED);
        assertThat(refused(withField(8, field(18, field(2, bytes)))).code()).isEqualTo(RejectCode.FRAME_MALFORMED);
        byte[] good = start().build().toByteArray();
        assertThat(refused(java.util.Arrays.copyOf(good, good.length - 1)).code())
                .isEqualTo(RejectCode.FRAME_MALFORMED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "s-1 ",
                " s-1",
                "a/b",
                "../x",
                "..",
                ".",
                "a..b",
                "#",
                "+",
                "*",
                "a=b",
                "a%",
                "a b",
                "/x",
                "x/",
                "__HIVE_DEFAULT_PARTITION__",
                "s\0x",
                "s-1\r\nx",
                "\u00e9",
                "-x",
                "_x",
                "${jndi:ldap://127.0.0.1:9/x}"
            })
    void shouldRefuseIdsThatBreakTheSyntax(String id) {
        assertRefused(start().setSensorId(id), RejectCode.BAD_IDENTITY);
        assertRefused(start().setCustomerId(id), RejectCode.BAD_IDENTITY);
        assertThat(facts.asked).isEmpty();
    }

    @Test
    void shouldTakeIdsUpToSixtyFourBytes() {
        assertPassed(start().setSensorId("a".repeat(64)));
        assertRefused(start().setSensorId("a".repeat(65)), RejectCode.BAD_IDENTITY);
        assertPassed(start().setSensorId("A0._-z"));
    }

    private static byte[] withField(int number, byte[] bytes) throws IOException {
        var all = new ByteArrayOutputStream();
        all.writeBytes(start().build().toByteArray());
        all.writeBytes(field(number, bytes));
        return all.toByteArray();
    }

    private static byte[] field(int number, byte[] bytes) throws IOException {
        var out = new ByteArrayOutputStream();
        var coded = CodedOutputStream.newInstance(out);
        coded.writeBytes(number, ByteString.copyFrom(bytes));
        coded.flush();
        return out.toByteArray();
    }
}
