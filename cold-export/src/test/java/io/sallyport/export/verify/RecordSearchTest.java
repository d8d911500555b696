package io.sallyport.export.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.generation.ShardTakeover;
import io.sallyport.proto.log.v1.GenerationRecord;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RecordSearchTest {
    private final List<StructuredRecord> log = new ArrayList<>();

    RecordSearchTest() {
        log.addAll(new Ledger(0, 0, "first").tail(6).records);
        log.addAll(new Ledger(0, 1, "again").tail(6).records);
    }

    private Optional<Integer> generation(OptionalLong wanted, List<ShardTakeover> known) {
        var search = new RecordSearch(new RecordSearch.Identity("acme", "s-1", 1, 5), wanted, known);
        log.forEach(search::take);
        return search.found().map(record -> record.getEvent().getOrigin().getGeneration());
    }

    @Test
    void shouldFindTheFirstGenerationsRecordBeforeAnotherTookOver() {
        assertThat(generation(OptionalLong.empty(), List.of())).contains(0);
    }

    @Test
    void shouldFindTheCurrentRecordAfterAReplay() {
        log.add(StructuredRecord.newBuilder()
                .setGeneration(GenerationRecord.newBuilder()
                        .setFromOffset(0)
                        .setToOffset(2)
                        .setComplete(true)
                        .setOrigin(Origin.newBuilder().setGeneration(1).setPos(6)))
                .build());
        assertThat(generation(OptionalLong.empty(), List.of())).contains(1);
        assertThat(generation(OptionalLong.of(0), List.of())).contains(0);
    }

    @Test
    void shouldKnowOfATakeoverWhoseRecordIsGone() {
        assertThat(generation(OptionalLong.empty(), List.of(new ShardTakeover(1, 0, 2))))
                .contains(1);
        assertThat(generation(OptionalLong.of(7), List.of())).isEmpty();
    }
}
