package io.sallyport.consumer;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.sallyport.layers.LayerRules;

@AnalyzeClasses(packages = "io.sallyport.consumer", importOptions = ImportOption.DoNotIncludeTests.class)
class LayerRulesTest {
    private static final String BASE = "io.sallyport.consumer";

    @ArchTest
    static final ArchTests EVERY_MODULE = ArchTests.in(LayerRules.class);

    @ArchTest
    static final ArchRule NO_CLOCK = noClasses()
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .because("time comes from the consumer's clock");

    @ArchTest
    static final ArchRule KAFKA_STAYS_OUTSIDE = noClasses()
            .that()
            .resideInAnyPackage(BASE, BASE + ".core", BASE + ".metrics")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.kafka..")
            .because("a handler is tested without a broker");

    @ArchTest
    static final ArchRule NO_FRAMEWORK = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework..")
            .because("it goes into whatever its users have");
}
