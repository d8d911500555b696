package io.sallyport.fanout.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.RetryInfo;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import io.sallyport.fanout.core.ErrorCode;
import org.junit.jupiter.api.Test;

class GrpcErrorsTest {
    @Test
    void shouldSayWhenToTryAgainWhereThatHelps() throws Exception {
        var failure = GrpcErrors.of(ErrorCode.OVERLOADED.because("so"));
        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        var details = StatusProto.fromThrowable(failure).getDetailsList();
        assertThat(details).hasSize(2);
        assertThat(details.get(1).unpack(RetryInfo.class).getRetryDelay().getSeconds())
                .isEqualTo(1);
        assertThat(StatusProto.fromThrowable(GrpcErrors.of(ErrorCode.UNKNOWN_SENSOR.because("so")))
                        .getDetailsList())
                .hasSize(1);
    }
}
