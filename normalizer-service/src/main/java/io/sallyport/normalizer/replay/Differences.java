package io.sallyport.normalizer.replay;

import java.util.List;

/**
 * What a replay would change.
 *
 * @param same events that stand there as they would after it
 * @param missing events that it would add
 * @param added events that it would take away
 * @param changed events that it would give other content
 * @param markersMissing markers that it would add
 * @param markersAdded markers that it would take away
 * @param examples some of them, a line each
 */
public record Differences(
        long same,
        long missing,
        long added,
        long changed,
        long markersMissing,
        long markersAdded,
        List<String> examples) {
    public Differences {
        examples = List.copyOf(examples);
    }

    public boolean any() {
        return missing + added + changed + markersMissing + markersAdded > 0;
    }
}
