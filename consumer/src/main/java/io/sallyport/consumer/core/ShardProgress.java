package io.sallyport.consumer.core;

import io.sallyport.envelope.generation.CurrentRecords;
import io.sallyport.envelope.generation.ShardTakeover;
import io.sallyport.proto.log.v1.CoverageMarker;
import io.sallyport.proto.log.v1.Envelope;
import io.sallyport.proto.log.v1.Origin;
import io.sallyport.proto.log.v1.StructuredRecord;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How far one shard was read, and which of its records are current: it tells what to do with each record. It is kept as text
 * beside the committed offset, so that a successor decides as its predecessor would have. A mutable value; not thread-safe.
 *
 * <p>A generation of the normalizer writes beside the live one until it takes over, so its records are passed over when they
 * are met, and read at its takeover: from the place that the takeover names. What the older generations have there was handled
 * before, which is why the positions are kept by generation.
 */
public final class ShardProgress {
    /** Older takeovers are forgotten: text beside an offset is small, and their records have left the log. */
    static final int MAX_TAKEOVERS = 32;

    private static final Pattern TEXT = Pattern.compile("1 h((?: [0-9]+:[0-9]+)*) t((?: [0-9]+:[0-9]+:[0-9]+)*)");
    private static final Pattern NUMBERS = Pattern.compile("([0-9]+):([0-9]+)(?::([0-9]+))?");

    private final CurrentRecords current;
    private final HandledPositions handled;

    /** What to do with a record. */
    public sealed interface Step {}

    /** Hand the event over. */
    public record Event(Envelope event, long generation) implements Step {}

    /** Hand the marker over. */
    public record Marker(CoverageMarker marker, long generation) implements Step {}

    /** Tell of the takeover, and read on from {@code from}. */
    public record Replaced(ShardTakeover takeover, long from) implements Step {}

    /** Count it and go on. */
    public record Pass(Why why) implements Step {}

    /** Why a record is passed over. */
    public enum Why {
        /** It was handled before. */
        REPEATED,
        /** A newer generation has replaced it. */
        VOID,
        /** Its generation has not taken over: if it does, the record is read then. */
        PENDING,
        /** An event of a type that the handler does not want. */
        EVENT_TYPE,
        /** A kind of record that this version does not know. */
        KIND,
        /** A takeover that was known already. */
        KNOWN_TAKEOVER
    }

    private ShardProgress(CurrentRecords current, HandledPositions handled) {
        this.current = current;
        this.handled = handled;
    }

    /** Of a reader that begins. */
    public static ShardProgress beginning() {
        return new ShardProgress(new CurrentRecords(), new HandledPositions());
    }

    /** Whether a takeover was told. */
    public boolean knows(ShardTakeover takeover) {
        return current.takeovers().stream().anyMatch(other -> other.generation() == takeover.generation());
    }

    /**
     * What to do with a record; nothing changes by asking.
     *
     * @param eventTypes that are wanted; empty: all
     */
    public Step step(StructuredRecord record, long offset, Set<Integer> eventTypes) {
        return switch (record.getRecordCase()) {
            case EVENT -> {
                Envelope event = record.getEvent();
                Step refused = refused(event.getOrigin(), offset);
                if (refused != null) {
                    yield refused;
                }
                yield eventTypes.isEmpty() || eventTypes.contains(event.getEventType())
                        ? new Event(event, generation(event.getOrigin()))
                        : new Pass(Why.EVENT_TYPE);
            }
            case MARKER -> {
                CoverageMarker marker = record.getMarker();
                Step refused = refused(marker.getOrigin(), offset);
                yield refused != null ? refused : new Marker(marker, generation(marker.getOrigin()));
            }
            case GENERATION -> {
                var takeover = ShardTakeover.of(record.getGeneration());
                yield knows(takeover)
                        ? new Pass(Why.KNOWN_TAKEOVER)
                        : new Replaced(
                                takeover,
                                // Never forward: what lies between was not looked at.
                                Math.min(record.getGeneration().getStructuredOffset(), offset));
            }
            default -> new Pass(Why.KIND);
        };
    }

    private @org.jspecify.annotations.Nullable Step refused(Origin origin, long offset) {
        if (!handled.isNew(generation(origin), offset)) {
            return new Pass(Why.REPEATED);
        }
        return switch (current.of(origin)) {
            case CURRENT -> null;
            case VOID -> new Pass(Why.VOID);
            case PENDING -> new Pass(Why.PENDING);
        };
    }

    /** The record needs no further look; not to be called for what is {@link Why#PENDING}. */
    public void done(long generation, long offset) {
        handled.add(generation, offset);
    }

    /** Its takeover was told. */
    public void add(ShardTakeover takeover) {
        current.add(takeover);
    }

    /** Generation of a record's origin, u32. */
    public static long generation(Origin origin) {
        return Integer.toUnsignedLong(origin.getGeneration());
    }

    /** Text to commit beside the offset: {@code 1 h GENERATION:OFFSET … t GENERATION:FROM:TO …}. */
    public String text() {
        var text = new StringBuilder("1 h");
        handled.byGeneration()
                .forEach((generation, offset) ->
                        text.append(' ').append(generation).append(':').append(offset));
        text.append(" t");
        List<ShardTakeover> takeovers = List.copyOf(current.takeovers());
        for (ShardTakeover each : takeovers.subList(Math.max(0, takeovers.size() - MAX_TAKEOVERS), takeovers.size())) {
            text.append(' ')
                    .append(each.generation())
                    .append(':')
                    .append(each.fromOffset())
                    .append(':')
                    .append(each.toOffset());
        }
        return text.toString();
    }

    /** @throws IllegalArgumentException where it is not text of {@link #text} */
    public static ShardProgress of(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("what stands beside the committed offset is not of this library");
        }
        var handled = new HandledPositions();
        NUMBERS.matcher(parts.group(1))
                .results()
                .forEach(pair -> handled.add(Long.parseLong(pair.group(1)), Long.parseLong(pair.group(2))));
        List<ShardTakeover> takeovers = NUMBERS.matcher(parts.group(2))
                .results()
                .map(each -> new ShardTakeover(
                        Long.parseLong(each.group(1)), Long.parseLong(each.group(2)), Long.parseLong(each.group(3))))
                .toList();
        return new ShardProgress(new CurrentRecords(takeovers), handled);
    }
}
