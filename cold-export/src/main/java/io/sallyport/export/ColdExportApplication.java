package io.sallyport.export;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The service's process; inside a larger one, start this class with {@code spring.config.name=cold-export}. */
@SpringBootApplication
public class ColdExportApplication {
    public static void main(String[] args) {
        System.setProperty("spring.config.name", "cold-export");
        SpringApplication.run(ColdExportApplication.class, args);
    }
}
