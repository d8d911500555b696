package io.sallyport.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sallyport.e2e.link.proto.RejectCode;
import io.sallyport.e2e.link.proto.SensorStart;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Section 1 of the page: where several things are wrong with a SENSOR_START, the first check of the list decides. */
class SensorStartOrderIT {

    /** One thing that can be wrong, in the order in which the gateway has to look. */
    private enum Fault {
        SYNTAX(RejectCode.FRAME_MALFORMED),
        VERSION(RejectCode.UNSUPPORTED_VERSION),
        IDENTITY_SYNTAX(RejectCode.BAD_IDENTITY),
        CREDENTIAL(RejectCode.UNAUTHENTICATED),
        MATCH(RejectCode.IDENTITY_MISMATCH),
        CUSTOMER(RejectCode.UNKNOWN_CUSTOMER);

        final RejectCode code;

        Fault(RejectCode code) {
            this.code = code;
        }
    }

    private static SensorStart.Builder startWith(List<Fault> faults) {
        String customerId = faults.contains(Fault.CUSTOMER) ? "initech" : Sensor.CUSTOMER;
        var proven = new Sensor(customerId, Sensor.fresh("order").sensorId());
        var named = faults.contains(Fault.MATCH) ? new Sensor(customerId, "someone-else") : proven;
        var start = named.start();
        String token = Link.tokens().of(proven);
        start.setToken(faults.contains(Fault.CREDENTIAL) ? token.substring(0, token.length() - 8) + "AAAAAAAA" : token);
        if (faults.contains(Fault.IDENTITY_SYNTAX)) {
            start.setSensorId(named.sensorId() + "/..");
        }
        if (faults.contains(Fault.VERSION)) {
            start.setProtocolVersion(9);
        }
        if (faults.contains(Fault.SYNTAX)) {
            start.setNextSeq(0);
        }
        return start;
    }

    static Stream<Arguments> singlesAndPairs() {
        var cases = new ArrayList<Arguments>();
        for (Fault first : Fault.values()) {
            cases.add(arguments(List.of(first)));
            for (Fault second : Fault.values()) {
                if (second.compareTo(first) > 0) {
                    cases.add(arguments(List.of(first, second)));
                }
            }
        }
        cases.add(arguments(List.of(Fault.values())));
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("singlesAndPairs")
    void shouldLetTheFirstCheckDecide(List<Fault> faults) {
        var reject = Link.refusedToken(startWith(faults), faults.get(0).code);
        if (faults.get(0).compareTo(Fault.CREDENTIAL) <= 0) {
            assertThat(reject.getDetail())
                    .as("nothing about a tenant before the credential holds")
                    .doesNotContain("initech", "someone-else");
        }
    }

    @Test
    void shouldAcceptWhereNothingIsWrong() {
        Link.acceptedToken(startWith(List.of()));
    }

    @Test
    void shouldKeepTheOrderOnTheMtlsListener() {
        var proven = Sensor.fresh("order");
        var unknown = new Sensor("initech", proven.sensorId());
        Link.refused(proven, start(unknown.start().setNextSeq(0)), RejectCode.FRAME_MALFORMED);
        Link.refused(proven, start(unknown.start().setProtocolVersion(2)), RejectCode.UNSUPPORTED_VERSION);
        Link.refused(proven, start(unknown.start().setSensorId("..")), RejectCode.BAD_IDENTITY);
        Link.refused(proven, start(unknown.start()), RejectCode.IDENTITY_MISMATCH);
        Link.refused(unknown, start(unknown.start()), RejectCode.UNKNOWN_CUSTOMER);
    }

    @Test
    void shouldGiveAnUnknownEpochNoWeightBeforeTheCredential() {
        var sensor = Sensor.fresh("order");
        Link.refusedToken(sensor.start(77, 0, 1, 0).setToken(""), RejectCode.UNAUTHENTICATED);
        try (Session session = Link.open(sensor)) {
            assertThat(session.epoch())
                    .as("no epoch was spent on the refused start")
                    .isEqualTo(1);
        }
    }

    private static byte[] start(SensorStart.Builder start) {
        return Frames.frame(Frames.SENSOR_START, start.build());
    }
}
