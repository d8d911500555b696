package io.sallyport.fanout;

import io.sallyport.fanout.config.FanoutProperties;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.grpc.server.autoconfigure.security.GrpcServerOAuth2ResourceServerAutoConfiguration;

/**
 * One node of the fan-out. Its settings are those of {@link FanoutProperties}, and {@code server.port} (REST), {@code
 * spring.grpc.server.port}, {@code management.server.port}.
 */
@SpringBootApplication(
        // It would ask for a token of health probes and reflection too; the wiring has an interceptor of its own.
        exclude = GrpcServerOAuth2ResourceServerAutoConfiguration.class)
@EnableConfigurationProperties(FanoutProperties.class)
public class FanoutServiceApplication {

    public static void main(String[] args) {
        var application = new SpringApplication(FanoutServiceApplication.class);
        application.setDefaultProperties(Map.of("spring.config.name", "fanout-service"));
        application.run(args);
    }
}
