package io.sallyport.fanout.config;

import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.grpc.server.lifecycle.GrpcServerStartedEvent;
import org.springframework.stereotype.Component;

/** The ports that were really taken, where 0 was asked for; 0 until then. */
@Component
public class BoundPorts {
    private volatile int rest;
    private volatile int grpc;
    private volatile int management;

    @EventListener
    void on(WebServerInitializedEvent event) {
        int port = event.getWebServer().getPort();
        if ("management".equals(event.getApplicationContext().getServerNamespace())) {
            management = port;
        } else {
            rest = port;
        }
    }

    @EventListener
    void on(GrpcServerStartedEvent event) {
        grpc = event.getPort();
    }

    public int rest() {
        return rest;
    }

    public int grpc() {
        return grpc;
    }

    public int management() {
        return management;
    }
}
