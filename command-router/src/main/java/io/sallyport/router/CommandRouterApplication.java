package io.sallyport.router;

import io.sallyport.router.config.RouterProperties;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;

/** One instance of the command router. Its settings are those of {@link RouterProperties}. */
@SpringBootApplication
@EnableConfigurationProperties(RouterProperties.class)
public class CommandRouterApplication {

    public static void main(String[] args) {
        var application = new SpringApplication(CommandRouterApplication.class);
        application.setDefaultProperties(Map.of("spring.config.name", "command-router"));
        application.run(args);
    }
}
