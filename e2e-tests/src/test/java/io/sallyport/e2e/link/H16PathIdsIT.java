package io.sallyport.e2e.link;

import io.sallyport.e2e.link.proto.RejectCode;
import io.sallyport.e2e.link.proto.SensorStart;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Case H16 on the link: ids that are special in paths. */
class H16PathIdsIT {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../cust-b",
                "a/b",
                "/cust-b",
                "cust-b/",
                "a=b",
                ".",
                "..",
                "...",
                "a..b",
                "a%",
                "a%2F",
                "a b",
                "a\\b",
                "a:b",
                "~",
                ".hidden",
                "-a",
                "_a",
                "__HIVE_DEFAULT_PARTITION__",
                "a\tb",
                "a\n"
            })
    void shouldRefuseThem(String id) {
        Link.refusedToken(start(new Sensor(Sensor.CUSTOMER, id)), RejectCode.BAD_IDENTITY);
        Link.refusedToken(start(new Sensor(id, "s-1")), RejectCode.BAD_IDENTITY);
    }

    @Test
    void shouldTakeTheOrdinaryOnes() {
        for (String id : new String[] {"cust-b", "a.b", "a_b", "a-", "a.", "a_", "0", "A.B-c_9"}) {
            Link.acceptedToken(start(new Sensor(Sensor.CUSTOMER, id)));
        }
        Link.refusedToken(start(new Sensor("cust-b", "s-1")), RejectCode.UNKNOWN_CUSTOMER);
    }

    private static SensorStart.Builder start(Sensor sensor) {
        return sensor.start().setToken(Link.tokens().of(sensor));
    }
}
