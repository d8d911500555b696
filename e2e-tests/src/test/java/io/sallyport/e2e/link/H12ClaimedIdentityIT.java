package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.e2e.link.proto.RejectCode;
import org.junit.jupiter.api.Test;

/** Case H12: the identity that is claimed differs from the certificate's. */
class H12ClaimedIdentityIT {

    @Test
    void shouldBelieveTheCertificateOnly() {
        var owner = new Sensor("acme", "h12-001");
        var neighbour = new Sensor("acme", "h12-002");
        try (Session live = Link.open(neighbour)) {
            live.append(Event.of(1)).expectWatermark(1);
            refused(owner, neighbour, RejectCode.IDENTITY_MISMATCH);
            refused(owner, new Sensor("globex", "h12-001"), RejectCode.IDENTITY_MISMATCH);
            refused(owner, new Sensor("acme", "h12-001 "), RejectCode.BAD_IDENTITY);
            refused(owner, new Sensor("acme", "H12-001"), RejectCode.IDENTITY_MISMATCH);
            try (Session session = Link.open(owner)) {
                assertThat(session.epoch()).isEqualTo(1);
                session.append(Event.of(1)).expectWatermark(1);
            }
            // The real one was not superseded.
            assertThat(live.barrier()).isEmpty();
            live.append(Event.of(2)).expectWatermark(2);
        }
        try (Session session = Link.open(new Sensor("globex", "h12-001"))) {
            assertThat(session.epoch()).as("no epoch was spent").isEqualTo(1);
        }
    }

    private static void refused(Sensor proven, Sensor claimed, RejectCode code) {
        Link.refused(proven, Frames.frame(Frames.SENSOR_START, claimed.start().build()), code);
    }
}
