package io.sallyport.sim.fleet;

/** A steady rate. What could not be used is made up for, up to one second of it. */
final class Pace {
    private final double perS;
    private double saved;
    private long lastUs = -1;

    Pace(double perS) {
        this.perS = perS;
    }

    double perS() {
        return perS;
    }

    /** Takes what is due now, at most {@code max}. */
    int due(long nowUs, int max) {
        if (lastUs >= 0) {
            saved = Math.min(saved + (nowUs - lastUs) / 1e6 * perS, Math.max(1, perS));
        }
        lastUs = nowUs;
        int due = (int) Math.min(saved, max);
        saved -= due;
        return due;
    }
}
