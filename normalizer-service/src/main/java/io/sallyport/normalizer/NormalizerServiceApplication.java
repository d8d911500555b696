package io.sallyport.normalizer;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The service's process; inside a larger one, start this class with {@code spring.config.name=normalizer-service}. */
@SpringBootApplication
public class NormalizerServiceApplication {
    public static void main(String[] args) {
        System.setProperty("spring.config.name", "normalizer-service");
        SpringApplication.run(NormalizerServiceApplication.class, args);
    }
}
