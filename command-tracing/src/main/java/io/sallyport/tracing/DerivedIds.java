package io.sallyport.tracing;

import io.opentelemetry.sdk.trace.IdGenerator;

/** Hands the ids that were chosen for the next span to the SDK, which asks for them on the thread that starts it. */
final class DerivedIds implements IdGenerator {
    private final ThreadLocal<String> traceId = new ThreadLocal<>();
    private final ThreadLocal<String> spanId = new ThreadLocal<>();

    void next(String nextTraceId, String nextSpanId) {
        traceId.set(nextTraceId);
        spanId.set(nextSpanId);
    }

    @Override
    public String generateTraceId() {
        return traceId.get();
    }

    @Override
    public String generateSpanId() {
        return spanId.get();
    }
}
