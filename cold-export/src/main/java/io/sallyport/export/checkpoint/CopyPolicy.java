package io.sallyport.export.checkpoint;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Which copies of checkpoints are kept: all of the last two hours, and of each hour before them the last one. A busy cell
 * signs one a second, and 86,400 files a day fill any volume's table of files; and whoever asks what stood at a time needs
 * one from about then, since each checkpoint proves all before it.
 */
public final class CopyPolicy {
    static final long ALL_MS = Duration.ofHours(2).toMillis();
    private static final long HOUR_MS = Duration.ofHours(1).toMillis();

    private CopyPolicy() {}

    /**
     * A copy.
     *
     * @param name of its file; of one time the later name is the later checkpoint
     * @param atMs when it was written
     */
    public record Copy(String name, long atMs) {}

    /** Those that may go; never the newest. */
    public static List<Copy> surplus(List<Copy> copies, long nowMs) {
        var surplus = new ArrayList<Copy>();
        Copy last = null;
        for (Copy copy : copies.stream()
                .sorted(Comparator.comparingLong(Copy::atMs).thenComparing(Copy::name))
                .toList()) {
            if (last != null
                    && last.atMs() < nowMs - ALL_MS
                    && Math.floorDiv(last.atMs(), HOUR_MS) == Math.floorDiv(copy.atMs(), HOUR_MS)) {
                surplus.add(last);
            }
            last = copy;
        }
        return surplus;
    }
}
