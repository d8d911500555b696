package io.sallyport.local.stack;

import io.sallyport.fanout.FanoutServiceApplication;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/**
 * In the embedded stack all services share one class path, and each library on it would configure itself in each of
 * them. Those that only publishing has stay out of the others: an application is what it would be in its own jar.
 *
 * @see FanoutServiceApplication
 */
final class SharedClassPath implements AutoConfigurationImportFilter, EnvironmentAware {
    private static final List<String> OF_PUBLISHING =
            List.of("org.springframework.boot.security.", "org.springframework.boot.grpc.", "org.springdoc.");

    private boolean publishing = true;

    @Override
    public void setEnvironment(Environment environment) {
        publishing = Endpoints.FANOUT_SERVICE.equals(environment.getProperty("spring.config.name"));
    }

    @Override
    public boolean[] match(String[] configurations, AutoConfigurationMetadata metadata) {
        var matches = new boolean[configurations.length];
        for (int i = 0; i < configurations.length; i++) {
            String configuration = configurations[i];
            matches[i] = publishing
                    || configuration == null
                    || OF_PUBLISHING.stream().noneMatch(configuration::startsWith);
        }
        return matches;
    }
}
