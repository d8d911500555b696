package io.sallyport.session.core;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.LinkLimits;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.link.v1.SensorStart;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The checks of SENSOR_START in the order that the sensor link fixes (section 1); the first that fails decides. */
public final class StartCheck {
    private static final int VERSION = 1;
    private static final int RETRY_SOON_MS = 2_000;

    private StartCheck() {}

    /** The outcome of {@link #check}. */
    public sealed interface Outcome {
        record Passed(SensorStart start, SensorKey sensor, Credential credential) implements Outcome {}

        /** {@code audit} says more than the sensor is told. */
        record Refused(Refusal refusal, String audit) implements Outcome {}
    }

    public static Outcome check(byte[] body, StartFacts facts) {
        SensorStart start;
        try {
            start = SensorStart.parseFrom(body);
        } catch (InvalidProtocolBufferException e) {
            return refused(RejectCode.FRAME_MALFORMED, "SENSOR_START does not parse");
        }
        Optional<String> outOfRange = outOfRange(start);
        if (outOfRange.isPresent()) {
            return refused(RejectCode.FRAME_MALFORMED, outOfRange.get());
        }
        if (start.getProtocolVersion() != VERSION) {
            return refused(RejectCode.UNSUPPORTED_VERSION, "only protocol version 1 is spoken here");
        }
        Optional<SensorKey> sensor = SensorKey.of(start.getCustomerId(), start.getSensorId());
        if (sensor.isEmpty()) {
            return refused(RejectCode.BAD_IDENTITY, "customer_id or sensor_id breaks the syntax");
        }
        CredentialCheck credential = facts.credential(start.getToken());
        if (credential instanceof CredentialCheck.Fails fails) {
            return refused(RejectCode.UNAUTHENTICATED, fails.detail());
        }
        return admit(start, sensor.get(), ((CredentialCheck.Holds) credential).credential(), facts);
    }

    private static Outcome admit(SensorStart start, SensorKey sensor, Credential credential, StartFacts facts) {
        if (!credential.speaksFor(sensor)) {
            return new Outcome.Refused(
                    Refusal.of(RejectCode.IDENTITY_MISMATCH, "the credential names another sensor"),
                    "credential " + credential.reference() + " presented for " + sensor);
        }
        if (!facts.isControlDataLoaded()) {
            return refused(
                    Refusal.retry(RejectCode.AUTHORITY_UNAVAILABLE, "the node is still starting", RETRY_SOON_MS));
        }
        switch (facts.standing(sensor.customerId())) {
            case ACTIVE -> {}
            case INACTIVE -> {
                return refused(RejectCode.UNKNOWN_CUSTOMER, "the customer is not active here");
            }
            case UNDECIDED -> {
                return refused(Refusal.retry(
                        RejectCode.AUTHORITY_UNAVAILABLE, "the customer is not known here yet", RETRY_SOON_MS));
            }
        }
        if (facts.isDraining()) {
            return refused(Refusal.retry(RejectCode.DRAINING, "the node is going away", RETRY_SOON_MS));
        }
        Optional<String> elsewhere = facts.movedTo(sensor.customerId());
        if (elsewhere.isPresent()) {
            return refused(Refusal.moved(elsewhere.get()));
        }
        Optional<Refusal> limited = facts.admission(sensor);
        return limited.isPresent() ? refused(limited.get()) : new Outcome.Passed(start, sensor, credential);
    }

    private static Optional<String> outOfRange(SensorStart start) {
        if (start.hasEpoch() && start.getEpoch() == 0) {
            return Optional.of("epoch 0");
        }
        // Unsigned: 2^63 is the most negative long.
        if (start.getNextSeq() == 0 || Long.compareUnsigned(start.getNextSeq(), Long.MIN_VALUE) > 0) {
            return Optional.of("next_seq outside 1 to 2^63");
        }
        if (Long.compareUnsigned(start.getWatermark(), start.getNextSeq()) >= 0) {
            return Optional.of("watermark is not below next_seq");
        }
        return withinLimits(start.getHost()) ? Optional.empty() : Optional.of("HostMetadata beyond its limits");
    }

    private static boolean withinLimits(HostMetadata host) {
        return host.getCapabilitiesCount() <= LinkLimits.MAX_HOST_ENTRIES
                && host.getTagsCount() <= LinkLimits.MAX_HOST_ENTRIES
                && areShort(host.getCapabilitiesList())
                && areShort(host.getTagsMap().keySet())
                && areShort(host.getTagsMap().values())
                && areShort(List.of(
                        host.getHostId(),
                        host.getHostname(),
                        host.getDomainRole(),
                        host.getOsFamily(),
                        host.getOsName(),
                        host.getOsVersion(),
                        host.getOsBuild(),
                        host.getKernel(),
                        host.getArch(),
                        host.getDeviceClass(),
                        host.getVirtualization(),
                        host.getHypervisor(),
                        host.getInstanceId(),
                        host.getAgentVersion(),
                        host.getPolicyId(),
                        host.getConfigHash()));
    }

    private static boolean areShort(Collection<String> values) {
        for (String value : values) {
            if (value.length() > LinkLimits.MAX_HOST_STRING_BYTES
                    || value.getBytes(StandardCharsets.UTF_8).length > LinkLimits.MAX_HOST_STRING_BYTES) {
                return false;
            }
        }
        return true;
    }

    private static Outcome refused(RejectCode code, String detail) {
        return refused(Refusal.of(code, detail));
    }

    private static Outcome refused(Refusal refusal) {
        return new Outcome.Refused(refusal, "");
    }
}
