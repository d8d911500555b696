package io.sallyport.sim.fleet;

import java.io.IOException;
import java.util.Map;

/** The thread that reads a recording and hands each event to its sensor. */
final class ReplayReader implements AutoCloseable {
    private final Recording recording;
    private final Map<String, ReplaySource> sources;
    private final FleetProgress progress;
    private final Thread thread;

    ReplayReader(Recording recording, Map<String, ReplaySource> sources, FleetProgress progress) {
        this.recording = recording;
        this.sources = sources;
        this.progress = progress;
        this.thread = new Thread(this::run, "replay-reader");
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            recording.forEach(line -> {
                ReplaySource source = sources.get(line.sensor());
                if (source == null) {
                    throw new IllegalArgumentException("the recording changed while it was read");
                }
                source.put(line.event());
            });
        } catch (IOException | IllegalArgumentException e) {
            progress.failed("the recording cannot be read: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
