package io.sallyport.consumer;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.sallyport.consumer", importOptions = ImportOption.DoNotIncludeTests.class)
class LayerRulesTest {
    private static final String BASE = "io.sallyport.consumer";

    @ArchTest
    static final ArchRule CORE_IS_PURE = classes()
            .that()
            .resideInAPackage(BASE + ".core")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    BASE,
                    BASE + ".core",
                    "io.sallyport.envelope..",
                    "io.sallyport.proto..",
                    "com.google.protobuf..",
                    "org.jspecify..")
            .because("what becomes of a record must not depend on the technology around it");

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

    @ArchTest
    static final ArchRule NO_CYCLES =
            slices().matching(BASE + ".(*)..").should().beFreeOfCycles().because("packages are read in one order");
}
