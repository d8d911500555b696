package io.sallyport.envelope.epoch;

import static io.sallyport.proto.log.v1.ReportKind.REPORT_ACKED;
import static io.sallyport.proto.log.v1.ReportKind.REPORT_DISCONNECTED;
import static io.sallyport.proto.log.v1.ReportKind.REPORT_FIRST_APPEND;
import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.proto.link.v1.EpochVerdict;
import io.sallyport.proto.log.v1.ClaimOutcome;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.EpochState;
import io.sallyport.proto.log.v1.SessionReport;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EpochRulesTest {
    private static final long MAX_U32 = 0xFFFF_FFFFL;

    @Nested
    class NoEpoch {
        @Test
        void shouldGrantTheFirstEpochToAnUnknownSensor() {
            var authority = new TestAuthority();
            EpochAnswer answer = authority.decide(authority.start(10, 1, 0));
            assertThat(answer.getOutcome()).isEqualTo(ClaimOutcome.CLAIM_GRANTED);
            assertThat(answer.getEpoch()).isEqualTo(1);
            assertThat(answer.getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_FIRST);
            assertThat(answer.getWatermark()).isZero();
            assertThat(answer.getPresentedEpochWatermark()).isZero();
            assertThat(answer.getNewestSessionId()).isEqualTo(10);
            assertThat(answer.getKnownSensor()).isFalse();
            assertThat(authority.alerts).isEmpty();
        }

        @Test
        void shouldGrantTheNextEpochToASensorThatLostItsState() {
            var authority = TestAuthority.at(5, 1_000);
            EpochAnswer answer = authority.decide(authority.start(10, 1, 0));
            assertThat(answer.getEpoch()).isEqualTo(6);
            assertThat(answer.getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_FIRST);
            assertThat(answer.getKnownSensor()).isTrue();
            assertThat(answer.getClosedWatermark()).isEqualTo(1_000);
            assertThat(authority.now().getAcked()).isZero();
            assertThat(authority.now().getLastAppendSessionId()).isZero();
        }
    }

    @Nested
    class SameEpoch {
        @ParameterizedTest
        @CsvSource({"90, 100", "100, 100", "110, 110"})
        void shouldResumeAtTheHigherOfBothWatermarks(long presented, long granted) {
            var authority = TestAuthority.at(3, 100);
            EpochAnswer answer = authority.decide(authority.start(10, 3, 121, 1).setWatermark(presented));
            assertThat(answer.getVerdict()).isEqualTo(EpochVerdict.RESUMED);
            assertThat(answer.getEpoch()).isEqualTo(3);
            assertThat(answer.getWatermark()).isEqualTo(granted);
            assertThat(authority.now().getAcked()).isEqualTo(granted);
            assertThat(authority.alerts).isEmpty();
        }

        @Test
        void shouldResumeWhereOnlyItsOwnOrOlderSessionsAppended() {
            var authority = TestAuthority.at(3, 100);
            authority.decide(authority.start(10, 3, 101, 1));
            authority.report(REPORT_FIRST_APPEND, 10, 3, 100);
            EpochAnswer answer = authority.decide(authority.start(20, 3, 150, 10));
            assertThat(answer.getVerdict()).isEqualTo(EpochVerdict.RESUMED);
        }

        @Test
        void shouldOpenANewEpochWhereANewerSessionAppended() {
            var authority = TestAuthority.at(3, 100);
            authority.decide(authority.start(10, 3, 101, 1));
            authority.report(REPORT_FIRST_APPEND, 10, 3, 100);
            EpochAnswer answer = authority.decide(authority.start(20, 3, 150, 1).setWatermark(95));
            assertThat(answer.getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_ROLLBACK);
            assertThat(answer.getEpoch()).isEqualTo(4);
            assertThat(answer.getWatermark()).isZero();
            assertThat(answer.getPresentedEpochWatermark()).isEqualTo(95);
            assertThat(answer.getClosedWatermark()).isEqualTo(100);
            assertThat(authority.alerts).containsExactly(EpochAlert.EPOCH_ROLLBACK);
        }

        @ParameterizedTest
        @CsvSource({"100, NEW_EPOCH_ROLLBACK", "50, NEW_EPOCH_ROLLBACK", "101, RESUMED"})
        void shouldOpenANewEpochWhereNumbersWouldBeReused(long nextSeq, EpochVerdict verdict) {
            var authority = TestAuthority.at(3, 100);
            assertThat(authority.decide(authority.start(10, 3, nextSeq, 1)).getVerdict())
                    .isEqualTo(verdict);
        }

        @Test
        void shouldRecognizeASnapshotFromBeforeAPresentedWatermark() {
            var authority = TestAuthority.at(3, 50);
            authority.decide(authority.start(10, 3, 90, 1).setWatermark(80));
            EpochAnswer answer = authority.decide(authority.start(20, 3, 70, 1).setWatermark(60));
            assertThat(answer.getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_ROLLBACK);
        }

        @Test
        void shouldEndAnEpochThatAnOlderSessionStillAcknowledgedIn() {
            var authority = TestAuthority.at(3, 100);
            authority.decide(authority.start(10, 3, 101, 1).setWatermark(100));
            authority.report(REPORT_FIRST_APPEND, 10, 3, 100);
            // Reset to a snapshot of session 10 at next_seq 105, while up to 110 was acknowledged and not yet reported.
            EpochAnswer resumed =
                    authority.decide(authority.start(20, 3, 105, 10).setWatermark(102));
            assertThat(resumed.getVerdict()).isEqualTo(EpochVerdict.RESUMED);
            authority.report(REPORT_FIRST_APPEND, 20, 3, 102);
            authority.report(REPORT_DISCONNECTED, 10, 3, 110);
            EpochAnswer answer =
                    authority.decide(authority.start(30, 3, 112, 20).setWatermark(104));
            assertThat(answer.getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_ROLLBACK);
            assertThat(answer.getPresentedEpochWatermark()).isEqualTo(104);
            // The new epoch starts without that suspicion.
            authority.report(REPORT_FIRST_APPEND, 30, 4, 0);
            assertThat(authority.decide(authority.start(40, 4, 9, 30)).getVerdict())
                    .isEqualTo(EpochVerdict.RESUMED);
        }

        @Test
        void shouldNotSuspectAnHonestSensorWhoseOldSessionReportsLate() {
            var authority = TestAuthority.at(3, 100);
            authority.decide(authority.start(10, 3, 101, 1).setWatermark(100));
            authority.report(REPORT_FIRST_APPEND, 10, 3, 100);
            authority.decide(authority.start(20, 3, 111, 10).setWatermark(102));
            authority.report(REPORT_DISCONNECTED, 10, 3, 110);
            EpochAnswer answer =
                    authority.decide(authority.start(30, 3, 111, 10).setWatermark(104));
            assertThat(answer.getVerdict()).isEqualTo(EpochVerdict.RESUMED);
            assertThat(answer.getWatermark()).isEqualTo(110);
        }

        @Test
        void shouldNotHoldAppendsOfAClosedEpochAgainstItsSuccessor() {
            var authority = TestAuthority.at(3, 100);
            authority.report(REPORT_FIRST_APPEND, 9, 3, 100);
            authority.decide(authority.start(10, 2, 50, 1));
            authority.report(REPORT_FIRST_APPEND, 9, 3, 100);
            EpochAnswer answer = authority.decide(authority.start(20, 4, 60, 1));
            assertThat(answer.getVerdict()).isEqualTo(EpochVerdict.RESUMED);
        }
    }

    @Nested
    class OtherEpoch {
        @Test
        void shouldOpenTheNextEpochForALowerOne() {
            var authority = TestAuthority.at(5, 1_000);
            EpochAnswer answer = authority.decide(authority.start(10, 4, 300, 1).setWatermark(250));
            assertThat(answer.getEpoch()).isEqualTo(6);
            assertThat(answer.getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_ROLLBACK);
            assertThat(answer.getPresentedEpochWatermark()).isEqualTo(250);
            assertThat(answer.getClosedWatermark()).isEqualTo(1_000);
        }

        @ParameterizedTest
        @CsvSource({
            "0, 1, 2",
            "0, 7, 8",
            "0, 2147483647, 2147483648",
            "0, 2147483648, 1",
            "0, 4294967295, 1",
            "5, 6, 7",
            "5, 1029, 1030",
            "5, 1030, 6",
            "2147483640, 2147483648, 2147483649",
            "4294967000, 4294967294, 4294967295",
        })
        void shouldNeverAdoptAnEpochThatItDidNotIssue(long highWater, long presented, long granted) {
            var authority = highWater == 0 ? new TestAuthority() : TestAuthority.at(highWater, 1_000);
            EpochAnswer answer =
                    authority.decide(authority.start(10, presented, 300, 1).setWatermark(250));
            assertThat(answer.getVerdict()).isEqualTo(EpochVerdict.DIVERGED);
            assertThat(Integer.toUnsignedLong(answer.getEpoch())).isEqualTo(granted);
            assertThat(answer.getPresentedEpochWatermark()).isZero();
            assertThat(answer.getWatermark()).isZero();
            assertThat(answer.getKnownSensor()).isEqualTo(highWater != 0);
            assertThat(authority.alerts).containsExactly(EpochAlert.EPOCH_DIVERGED);
        }
    }

    @Nested
    class Exhausted {
        @Test
        void shouldRefuseWhatNeedsAnEpochAboveTheLast() {
            var authority = TestAuthority.at(MAX_U32, 10);
            EpochState before = authority.now();
            for (EpochClaim.Builder claim : java.util.List.of(
                    authority.start(10, 1, 0), authority.start(10, 3, 20, 1), authority.start(10, MAX_U32, 10, 1))) {
                EpochAnswer answer = authority.decide(claim);
                assertThat(answer.getOutcome()).isEqualTo(ClaimOutcome.CLAIM_EXHAUSTED);
                assertThat(authority.now()).isEqualTo(before);
            }
            assertThat(authority.alerts).isEmpty();
        }

        @Test
        void shouldStillResumeInTheLastEpoch() {
            var authority = TestAuthority.at(MAX_U32, 10);
            EpochAnswer answer = authority.decide(authority.start(10, MAX_U32, 11, 1));
            assertThat(answer.getVerdict()).isEqualTo(EpochVerdict.RESUMED);
            assertThat(Integer.toUnsignedLong(answer.getEpoch())).isEqualTo(MAX_U32);
        }

        @Test
        void shouldReachTheLastEpoch() {
            var authority = TestAuthority.at(MAX_U32 - 1, 10);
            EpochAnswer answer = authority.decide(authority.start(10, 1, 0));
            assertThat(Integer.toUnsignedLong(answer.getEpoch())).isEqualTo(MAX_U32);
        }

        @Test
        void shouldRefuseToPassOverTheLastEpoch() {
            var authority = TestAuthority.at(MAX_U32 - 3, 10);
            EpochAnswer answer = authority.decide(authority.start(10, MAX_U32, 11, 1));
            assertThat(answer.getOutcome()).isEqualTo(ClaimOutcome.CLAIM_EXHAUSTED);
        }
    }

    @Nested
    class Repetition {
        @Test
        void shouldAnswerAClaimIdOnceWhateverHappenedSince() {
            var authority = TestAuthority.at(5, 1_000);
            EpochClaim claim = authority.start(10, 4, 300, 1).setWatermark(250).build();
            EpochAnswer first = authority.decide(claim);
            authority.report(REPORT_FIRST_APPEND, 10, 6, 0);
            authority.report(REPORT_ACKED, 10, 6, 40);
            EpochState before = authority.now();
            assertThat(authority.decide(claim)).isEqualTo(first);
            assertThat(authority.now()).isEqualTo(before);
            assertThat(authority.alerts).hasSize(1);
        }

        @Test
        void shouldGrantTheSameEpochToTheSameCauseUntilItIsUsed() {
            var authority = TestAuthority.at(5, 1_000);
            EpochAnswer first = authority.decide(authority.start(10, 4, 300, 1).setWatermark(250));
            EpochAnswer again = authority.decide(authority.start(20, 4, 300, 1).setWatermark(260));
            assertThat(again.getEpoch()).isEqualTo(first.getEpoch());
            assertThat(again.getVerdict()).isEqualTo(first.getVerdict());
            assertThat(again.getClosedWatermark()).isEqualTo(1_000);
            assertThat(again.getPresentedEpochWatermark()).isEqualTo(260);
            assertThat(again.getNewestSessionId()).isEqualTo(20);
            assertThat(authority.alerts).hasSize(1);

            authority.report(REPORT_FIRST_APPEND, 20, 6, 0);
            EpochAnswer used = authority.decide(authority.start(30, 4, 300, 1));
            assertThat(used.getEpoch()).isEqualTo(7);
            assertThat(used.getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_ROLLBACK);
        }

        @Test
        void shouldKnowTheCauseStillAfterAResumeThatAppendedNothing() {
            var authority = new TestAuthority();
            EpochAnswer first = authority.decide(authority.start(10, 7, 300, 1));
            authority.report(REPORT_DISCONNECTED, 10, 8, 0);
            authority.decide(authority.start(20, 8, 300, 1));
            authority.report(REPORT_DISCONNECTED, 20, 8, 0);
            EpochAnswer again = authority.decide(authority.start(30, 7, 300, 1));
            assertThat(again.getEpoch()).isEqualTo(first.getEpoch()).isEqualTo(8);
            assertThat(again.getVerdict()).isEqualTo(EpochVerdict.DIVERGED);
            assertThat(again.getKnownSensor()).isFalse();
        }

        @Test
        void shouldNotTakeAnotherCauseForARepetition() {
            var authority = TestAuthority.at(5, 1_000);
            authority.decide(authority.start(10, 4, 300, 1));
            assertThat(authority.decide(authority.start(20, 4, 301, 1)).getEpoch())
                    .isEqualTo(7);
            assertThat(authority.decide(authority.start(30, 4, 301, 2)).getEpoch())
                    .isEqualTo(8);
            assertThat(authority.decide(authority.start(40, 301, 2)).getEpoch()).isEqualTo(9);
        }

        @Test
        void shouldRepeatAFirstStartWithoutCallingTheSensorKnown() {
            var authority = new TestAuthority();
            authority.decide(authority.start(10, 1, 0));
            EpochAnswer again = authority.decide(authority.start(20, 1, 0));
            assertThat(again.getEpoch()).isEqualTo(1);
            assertThat(again.getVerdict()).isEqualTo(EpochVerdict.NEW_EPOCH_FIRST);
            assertThat(again.getKnownSensor()).isFalse();
        }
    }

    @Nested
    class WellFormed {
        @Test
        void shouldAcceptTheLimitsOfTheLink() {
            var authority = new TestAuthority();
            assertThat(EpochRules.isWellFormed(authority.start(1, 1, 0).build()))
                    .isTrue();
            assertThat(EpochRules.isWellFormed(authority
                            .start(-1, MAX_U32, Long.MIN_VALUE, -1)
                            .setWatermark(Long.MAX_VALUE)
                            .build()))
                    .isTrue();
        }

        @Test
        void shouldRefuseWhatNoSensorMaySend() {
            var authority = new TestAuthority();
            assertThat(EpochRules.isWellFormed(authority.start(0, 1, 0).build()))
                    .isFalse();
            assertThat(EpochRules.isWellFormed(authority.start(1, 0, 0).build()))
                    .isFalse();
            assertThat(EpochRules.isWellFormed(
                            authority.start(1, Long.MIN_VALUE + 1, 0).build()))
                    .isFalse();
            assertThat(EpochRules.isWellFormed(
                            authority.start(1, 5, 0).setWatermark(5).build()))
                    .isFalse();
            assertThat(EpochRules.isWellFormed(authority.start(1, 0, 5, 0).build()))
                    .isFalse();
            assertThat(EpochRules.isWellFormed(
                            authority.start(1, 1, 0).clearClaimId().build()))
                    .isFalse();
            var report = SessionReport.newBuilder()
                    .setKind(REPORT_ACKED)
                    .setSessionId(1)
                    .setEpoch(1);
            assertThat(EpochRules.isWellFormed(report.build())).isTrue();
            assertThat(EpochRules.isWellFormed(report.clone().setAcked(-1).build()))
                    .isFalse();
            assertThat(EpochRules.isWellFormed(report.clone().clearEpoch().build()))
                    .isFalse();
            assertThat(EpochRules.isWellFormed(report.clone().clearSessionId().build()))
                    .isFalse();
            assertThat(EpochRules.isWellFormed(report.clone().clearKind().build()))
                    .isFalse();
        }
    }
}
