package io.sallyport.fanout.core;

import java.util.HashMap;
import java.util.Map;

/**
 * Which gateway nodes are alive at one moment: one whose last sign of life in `node-stats` is older than 30 s is dead,
 * and its sessions are disconnected. A node that never gave one is taken at the directory's word.
 */
record NodeLife(Map<Integer, Long> signsUs, long nowUs) {
    private static final long DEAD_AFTER_US = 30_000_000L;

    NodeLife(Map<Integer, Long> signsUs, long nowUs) {
        this.signsUs = new HashMap<>(signsUs);
        this.nowUs = nowUs;
    }

    boolean isAlive(int node) {
        Long signUs = signsUs.get(node);
        return signUs == null || nowUs - signUs <= DEAD_AFTER_US;
    }
}
