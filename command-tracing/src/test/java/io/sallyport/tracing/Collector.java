package io.sallyport.tracing;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPInputStream;

/** Takes OTLP over HTTP, as a collector does, and keeps the spans. */
public final class Collector implements AutoCloseable {
    private final HttpServer server;
    private final List<Span> spans = new CopyOnWriteArrayList<>();
    private final List<String> services = new CopyOnWriteArrayList<>();

    public Collector() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/v1/traces", exchange -> {
            try (exchange) {
                boolean packed = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
                InputStream body = exchange.getRequestBody();
                var request = ExportTraceServiceRequest.parseFrom(packed ? new GZIPInputStream(body) : body);
                for (var resource : request.getResourceSpansList()) {
                    resource.getResource().getAttributesList().stream()
                            .filter(attribute -> attribute.getKey().equals("service.name"))
                            .forEach(attribute ->
                                    services.add(attribute.getValue().getStringValue()));
                    resource.getScopeSpansList().forEach(scope -> spans.addAll(scope.getSpansList()));
                }
                byte[] answer = ExportTraceServiceResponse.getDefaultInstance().toByteArray();
                exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
                exchange.sendResponseHeaders(200, answer.length == 0 ? -1 : answer.length);
            }
        });
        server.start();
    }

    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/v1/traces");
    }

    public List<Span> spans() {
        return List.copyOf(spans);
    }

    public List<String> services() {
        return List.copyOf(services);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
