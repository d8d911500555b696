package io.sallyport.session;

import io.sallyport.session.config.SessionProperties;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;

/** One node of the session tier. Its settings are those of {@link SessionProperties}. */
@SpringBootApplication
@EnableConfigurationProperties(SessionProperties.class)
public class SessionServiceApplication {

    public static void main(String[] args) {
        var application = new SpringApplication(SessionServiceApplication.class);
        application.setDefaultProperties(java.util.Map.of("spring.config.name", "session-service"));
        application.run(args);
    }
}
