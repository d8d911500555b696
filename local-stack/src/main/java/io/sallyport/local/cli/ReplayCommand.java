package io.sallyport.local.cli;

import io.sallyport.local.stack.StackException;
import io.sallyport.normalizer.core.Limits;
import io.sallyport.normalizer.kafka.EventTypeRegistry;
import io.sallyport.normalizer.replay.Differences;
import io.sallyport.normalizer.replay.DryRun;
import io.sallyport.normalizer.replay.Replay;
import io.sallyport.normalizer.replay.ReplayRefusedException;
import io.sallyport.normalizer.streams.Decider;
import io.sallyport.proto.log.v1.Generations;
import io.sallyport.proto.log.v1.Takeover;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

@Command(
        name = "replay",
        description = {
            "Derives again from the raw log what a bad build of the normalizer derived since a time, while live ingest"
                    + " goes on; the new generation then takes over.",
            "Roll the normalizer back first. If this is stopped, the replay goes on; --resume watches it and takes it"
                    + " to its end.",
            "Exit codes: 0 done (with --to: no differences), 1 failed or refused, 2 wrong usage, 3 with --to:"
                    + " differences, 4 not done in time."
        })
final class ReplayCommand extends KafkaCommand {
    private static final int DIFFERENCES = 3;
    private static final int NOT_IN_TIME = 4;
    private static final long SAY_EVERY_MS = 2_000;

    @Mixin
    private final JsonOption json = new JsonOption();

    @ArgGroup(multiplicity = "1")
    private What what = new What();

    @Option(
            names = "--timeout",
            paramLabel = "S",
            converter = Values.Time.class,
            defaultValue = "3600",
            description = "how long to wait for the end, in seconds; the replay goes on afterwards (default:"
                    + " ${DEFAULT-VALUE})")
    private Duration timeout = Duration.ofHours(1);

    private long saidNanos = System.nanoTime() - Duration.ofMillis(SAY_EVERY_MS).toNanos();

    static final class What {
        @ArgGroup(exclusive = false)
        private @Nullable Range range;

        @Option(names = "--resume", description = "take the replay that is on its way to its end")
        private boolean resume;

        @Option(
                names = "--abort",
                description = "give up the replay that is on its way, as long as its takeover is not decided")
        private boolean abort;

        @Option(names = "--status", description = "which generation is live, and what is on its way")
        private boolean status;
    }

    static final class Range {
        @Option(
                names = "--from",
                paramLabel = "T",
                required = true,
                converter = Time.class,
                description = "what was derived at or after this time, such as 2026-01-31T12:00:00Z or milliseconds"
                        + " since 1970: just before the bad build was deployed")
        private Instant from = Instant.EPOCH;

        @Option(
                names = "--to",
                paramLabel = "T2",
                converter = Time.class,
                description = "only report what a replay of the raw records before this time would change; nothing is"
                        + " written")
        private @Nullable Instant to;
    }

    static final class Time implements ITypeConverter<Instant> {
        @Override
        public Instant convert(String text) {
            try {
                return text.matches("-?\\d{1,18}") ? Instant.ofEpochMilli(Long.parseLong(text)) : Instant.parse(text);
            } catch (java.time.format.DateTimeParseException e) {
                throw new TypeConversionException("'" + text + "' is no time such as 2026-01-31T12:00:00Z");
            }
        }
    }

    @Override
    int execute() throws Exception {
        Range range = what.range;
        if (range != null && range.from.isAfter(Instant.now())) {
            throw usage("--from has not come yet");
        }
        if (range != null && range.to != null) {
            return dryRun(range.from, range.to);
        }
        try (var replay = new Replay(kafka(), this::say)) {
            if (what.status) {
                return status(replay.state());
            }
            if (what.abort) {
                replay.abort();
                return status(replay.state());
            }
            if (range != null) {
                int generation = replay.begin(range.from);
                err().println("sallyport: generation " + Integer.toUnsignedString(generation) + " begins");
                err().flush();
            }
            if (!replay.finish(timeout)) {
                err().println("sallyport: not done yet; it goes on, and --resume waits for it");
                return NOT_IN_TIME;
            }
            status(replay.state());
            return replacedAll(replay.state());
        } catch (ReplayRefusedException e) {
            throw new StackException(String.valueOf(e.getMessage()), e);
        }
    }

    /** The takeover stands either way; whoever asked must know that it did not do what it was for. */
    private int replacedAll(Generations state) {
        List<Integer> without = state.getTakeoversList().stream()
                .filter(takeover -> takeover.getGeneration() == state.getLive() && takeover.getIncomplete())
                .map(Takeover::getShard)
                .sorted()
                .toList();
        if (without.isEmpty()) {
            return DONE;
        }
        throw new StackException("raw records of shards " + without + " were lost before they were derived again: there"
                + " nothing before the takeover was replaced; begin one from a later time for what is left");
    }

    private void say(Replay.Progress progress) {
        boolean due =
                System.nanoTime() - saidNanos >= Duration.ofMillis(SAY_EVERY_MS).toNanos();
        if (json.wanted() || (!due && progress.step() != Replay.Step.DONE)) {
            return;
        }
        saidNanos = System.nanoTime();
        err().println(
                        switch (progress.step()) {
                            case CATCHING_UP ->
                                "generation %d catches up: %d raw records to go"
                                        .formatted(progress.generation(), progress.remaining());
                            case TAKING_OVER ->
                                "generation %d takes over: %d shards to go"
                                        .formatted(progress.generation(), progress.remaining());
                            case DRAINING ->
                                "generation %d decides; the one before comes to its end in %d shards"
                                        .formatted(progress.generation(), progress.remaining());
                            case DONE -> "generation %d is live".formatted(progress.generation());
                        });
        err().flush();
    }

    private int status(Generations state) {
        if (json.wanted()) {
            var shown = new LinkedHashMap<String, Object>();
            shown.put("live", Integer.toUnsignedLong(state.getLive()));
            shown.put("highest", Integer.toUnsignedLong(state.getHighest()));
            if (state.hasReplay()) {
                shown.put(
                        "replay",
                        Map.of(
                                "generation",
                                Integer.toUnsignedLong(state.getReplay().getGeneration()),
                                "phase",
                                state.getReplay().getPhase().name(),
                                "from",
                                Instant.ofEpochMilli(state.getReplay().getFromMs())
                                        .toString()));
            }
            shown.put("takeovers", state.getTakeoversCount());
            out().println(JSON.writeValueAsString(shown));
            return DONE;
        }
        out().printf("generation %d is live%n", Integer.toUnsignedLong(state.getLive()));
        if (state.hasReplay()) {
            out().printf(
                            "generation %d is on its way (%s), from %s%n",
                            Integer.toUnsignedLong(state.getReplay().getGeneration()),
                            state.getReplay().getPhase(),
                            Instant.ofEpochMilli(state.getReplay().getFromMs()));
        }
        return DONE;
    }

    private int dryRun(Instant from, Instant to) throws Exception {
        if (!to.isAfter(from)) {
            throw usage("--to must be after --from");
        }
        Differences found;
        try (var types = new EventTypeRegistry(kafka());
                var dry = new DryRun(kafka(), Decider.dedupe(Limits.DEFAULTS, types))) {
            types.start();
            found = dry.run(from, to);
        } catch (ReplayRefusedException e) {
            throw new StackException(String.valueOf(e.getMessage()), e);
        }
        if (json.wanted()) {
            var shown = new LinkedHashMap<String, Object>();
            shown.put("same", found.same());
            shown.put("missing", found.missing());
            shown.put("added", found.added());
            shown.put("changed", found.changed());
            shown.put("markers_missing", found.markersMissing());
            shown.put("markers_added", found.markersAdded());
            shown.put("examples", found.examples());
            out().println(JSON.writeValueAsString(shown));
        } else {
            out().printf(
                            "%d events are as a replay would have them; %d are missing, %d should not be there, %d have"
                                    + " other content; %d markers are missing, %d should not be there%n",
                            found.same(),
                            found.missing(),
                            found.added(),
                            found.changed(),
                            found.markersMissing(),
                            found.markersAdded());
            found.examples().forEach(out()::println);
        }
        return found.any() ? DIFFERENCES : DONE;
    }
}
