package io.sallyport.session.core;

import java.util.Comparator;
import java.util.List;

/**
 * How the nodes of a cell share one customer's rate (semantics, section 7). Each node is sure of the part that its
 * sensors are of all of the customer's sensors. What a node does not want is lent to those that want more, in proportion
 * to their sensors; what nobody wants is dealt out like the parts, so that each has room when it wakes.
 *
 * <p>All is a fraction of the customer's rate. Whoever puts in the same claims gets the same shares, and they add up to 1.
 */
public final class QuotaShares {
    private QuotaShares() {}

    /**
     * One node's claim.
     *
     * @param sensors connected there; more than 0
     * @param wants fraction of the rate that it makes use of; infinite where its sensors are made to wait
     */
    public record Claim(int node, long sensors, double wants) {
        public Claim {
            if (sensors <= 0 || !(wants >= 0)) {
                throw new IllegalArgumentException("sensors " + sensors + ", wants " + wants);
            }
        }
    }

    /** The share of a node; 0 where it has no claim. */
    public static double of(int node, List<Claim> claims) {
        long all = claims.stream().mapToLong(Claim::sensors).sum();
        List<Claim> modestFirst = claims.stream()
                .sorted(Comparator.comparingDouble(claim -> claim.wants() / claim.sensors()))
                .toList();
        double left = 1;
        long among = all;
        double own = 0;
        long ownSensors = 0;
        for (Claim claim : modestFirst) {
            // What is left, dealt out among those who want at least as much per sensor as this one.
            double part = left * claim.sensors() / among;
            double given = Math.min(claim.wants(), part);
            if (claim.node() == node) {
                own = given;
                ownSensors = claim.sensors();
            }
            left -= given;
            among -= claim.sensors();
        }
        return ownSensors == 0 ? 0 : own + Math.max(0, left) * ownSensors / all;
    }
}
