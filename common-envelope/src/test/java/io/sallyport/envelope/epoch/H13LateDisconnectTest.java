package io.sallyport.envelope.epoch;

import static io.sallyport.proto.log.v1.ReportKind.REPORT_ACKED;
import static io.sallyport.proto.log.v1.ReportKind.REPORT_CONNECTED;
import static io.sallyport.proto.log.v1.ReportKind.REPORT_DISCONNECTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.log.v1.SessionEntry;
import io.sallyport.proto.log.v1.SessionReport;
import io.sallyport.proto.log.v1.SessionState;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** H13, the directory's part: the old session's end is noticed after the sensor has reconnected. */
class H13LateDisconnectTest {
    private static final long G1 = 10;
    private static final long G2 = 20;

    private final TestAuthority authority = TestAuthority.at(3, 100);

    @ParameterizedTest
    @CsvSource({"1, 2", "1, 1"})
    void shouldKeepTheNewerEntryWhenTheOlderSessionEnds(int nodeOfG1, int nodeOfG2) {
        authority.decide(authority.start(G1, 3, 101, 1).setNode(nodeOfG1));
        authority.decide(authority.start(G2, 3, 101, G1).setNode(nodeOfG2));
        authority.nowMs += 30_000;
        ReportEffect late = authority.report(disconnect(G1, nodeOfG1, 3));
        assertThat(late.standing()).isEqualTo(ReportEffect.Standing.STALE_UNREGISTER);
        assertThat(late.session()).isEmpty();
        assertConnected(G2, nodeOfG2);
    }

    @Test
    void shouldKeepTheNewerEntryWhenItsEpochIsNewToo() {
        authority.decide(authority.start(G1, 3, 101, 1));
        authority.decide(authority.start(G2, 2, 50, 1).setNode(2));
        ReportEffect late = authority.report(disconnect(G1, 1, 3));
        assertThat(late.standing()).isEqualTo(ReportEffect.Standing.STALE_UNREGISTER);
        assertConnected(G2, 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"REPORT_CONNECTED", "REPORT_ACKED", "REPORT_FIRST_APPEND"})
    void shouldNotBeRefreshedByTheOlderSession(String kind) {
        authority.decide(authority.start(G1, 3, 101, 1));
        authority.decide(authority.start(G2, 3, 101, G1).setNode(2));
        ReportEffect refresh = authority.report(io.sallyport.proto.log.v1.ReportKind.valueOf(kind), G1, 3, 100);
        assertThat(refresh.session()).isEmpty();
        assertConnected(G2, 2);
    }

    @Test
    void shouldEndWithTheHigherSessionInWhateverOrderBothRegister() {
        for (List<Long> order : List.of(List.of(G1, G2), List.of(G2, G1))) {
            var twoNodes = TestAuthority.at(3, 100);
            for (long session : order) {
                twoNodes.report(REPORT_CONNECTED, session, 3, 100);
            }
            twoNodes.report(REPORT_DISCONNECTED, G1, 3, 100);
            assertThat(twoNodes.now().getLiveSessionId()).isEqualTo(G2);
            assertThat(twoNodes.directory.orElseThrow().getSessionId()).isEqualTo(G2);
            assertThat(twoNodes.directory.orElseThrow().getState()).isEqualTo(SessionState.SESSION_CONNECTED);
        }
    }

    @Test
    void shouldStillTakeWhatTheOlderSessionAcknowledged() {
        authority.decide(authority.start(G1, 3, 101, 1));
        authority.decide(authority.start(G2, 3, 151, G1));
        authority.report(REPORT_ACKED, G1, 3, 150);
        assertThat(authority.now().getAcked()).isEqualTo(150);
    }

    private void assertConnected(long sessionId, int node) {
        SessionEntry entry = authority.directory.orElseThrow();
        assertThat(entry.getSessionId()).isEqualTo(sessionId);
        assertThat(entry.getNode()).isEqualTo(node);
        assertThat(entry.getState()).isEqualTo(SessionState.SESSION_CONNECTED);
    }

    private static SessionReport disconnect(long sessionId, int node, int epoch) {
        return SessionReport.newBuilder()
                .setKind(REPORT_DISCONNECTED)
                .setSessionId(sessionId)
                .setNode(node)
                .setEpoch(epoch)
                .build();
    }
}
