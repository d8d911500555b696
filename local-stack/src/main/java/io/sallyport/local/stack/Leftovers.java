package io.sallyport.local.stack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;

/** Processes of a stack whose supervisor was killed: they would hold the folders and ports of the next one. */
final class Leftovers {
    private static final int GRACE_MS = 45_000;

    private Leftovers() {}

    /** Stops them, the broker last; the caller holds the folder's lock, so nobody else supervises them. */
    static void stop(DataFolder data) throws IOException, InterruptedException {
        var parts = new ArrayList<>(ServiceProcess.all(data));
        Collections.rotate(parts, -1);
        for (ServiceProcess part : parts) {
            part.stop(GRACE_MS);
        }
    }
}
