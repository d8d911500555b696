package io.sallyport.sim.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sallyport.envelope.registry.EventTypes;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordedLineTest {
    private static final Path RECORDED = Path.of("..", "..", "shared", "data", "endpoint-events.jsonl.gz");

    private static RecordedLine read(String line) {
        return RecordedLine.read(line.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":1}",
                "{ \"a\" : [1, {\"b\":\"}\"}] , \"ü\" : \"\\u00e4 \\\" \" }",
                "[1,2 ,3]",
                "\"text \\\" more\"",
                "\"\"",
                "12345",
                "-1.5e3",
                "true",
                "null"
            })
    void shouldCutThePayloadOutAsItStandsThere(String payload) {
        for (String format : new String[] {
            "{\"sensor\":\"h1\",\"type\":\"FileWritten\",\"ts_us\":17,\"payload\":%s}",
            "{\"payload\":  %s , \"ts_us\" : 17,\"type\":\"FileWritten\",\"sensor\":\"h1\", \"more\":{\"payload\":1}}",
        }) {
            RecordedLine line = read(String.format(format, payload));
            assertThat(new String(line.event().payload(), StandardCharsets.UTF_8))
                    .isEqualTo(payload);
            assertThat(line.sensor()).isEqualTo("h1");
            assertThat(line.event().type()).isEqualTo(EventTypes.FILE_WRITTEN);
            assertThat(line.event().eventTsUs()).isEqualTo(17);
        }
    }

    @Test
    void shouldTakeANumberForATypeThatHasNoName() {
        assertThat(read("{\"sensor\":\"h1\",\"type\":12,\"ts_us\":1,\"payload\":{}}")
                        .event()
                        .type())
                .isEqualTo(12);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "{\"sensor\":\"h1\"",
                "{\"sensor\":\"h1\",\"type\":\"NoSuchType\",\"ts_us\":1,\"payload\":{}}",
                "{\"sensor\":\"h1\",\"type\":\"FileWritten\",\"payload\":{}}",
                "{\"sensor\":\"h1\",\"type\":\"FileWritten\",\"ts_us\":1}",
                "{\"type\":\"FileWritten\",\"ts_us\":1,\"payload\":{}}"
            })
    void shouldRefuseWhatIsNoEvent(String line) {
        assertThatThrownBy(() -> read(line)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldReadTheRecordedEvents() throws Exception {
        assumeThat(Files.exists(RECORDED)).as("%s is not there", RECORDED).isTrue();
        var recording = new Recording(RECORDED);
        assertThat(recording.sensors()).hasSize(12);
        var bytes = new AtomicLong();
        recording.forEach(line -> bytes.addAndGet(line.event().payload().length));
        assertThat(recording.sensors().values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(12_071);
        assertThat(bytes.get()).isPositive();
    }
}
