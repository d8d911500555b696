package io.sallyport.router;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.sallyport.router", importOptions = ImportOption.DoNotIncludeTests.class)
class LayerRulesTest {
    @ArchTest
    static final ArchRule core_is_pure = classes()
            .that()
            .resideInAPackage("..router.core..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    "com.google.protobuf..",
                    "io.sallyport.envelope..",
                    "io.sallyport.proto.link..",
                    "io.sallyport.proto.log..",
                    "..router.core..")
            .because("the same decisions run in production and in the simulation");

    @ArchTest
    static final ArchRule core_has_no_clock_and_no_io = noClasses()
            .that()
            .resideInAPackage("..router.core..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.io..", "java.nio.file..", "java.net..")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(java.time.Instant.class, "now")
            .because("a replay must decide as the first run did; time is an argument");

    @ArchTest
    static final ArchRule consumers_stay_apart_from_streams = noClasses()
            .that()
            .resideInAPackage("..router.kafka..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "..router.streams..", "..router.rocksdb..", "org.rocksdb..", "org.apache.kafka.streams..")
            .because("technologies meet in the core's interfaces only");

    @ArchTest
    static final ArchRule streams_stay_apart_from_consumers = noClasses()
            .that()
            .resideInAPackage("..router.streams..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("..router.kafka..", "..router.rocksdb..")
            .because("technologies meet in the core's interfaces only");

    @ArchTest
    static final ArchRule spring_stays_in_the_wiring = noClasses()
            .that()
            .resideOutsideOfPackages("..router.config..", "io.sallyport.router")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework..")
            .because("what the parts do does not depend on how they are put together");

    @ArchTest
    static final ArchRule nothing_is_injected_into_fields = noFields()
            .should()
            .beAnnotatedWith("org.springframework.beans.factory.annotation.Autowired")
            .because("a constructor shows what a part needs");

    @ArchTest
    static final ArchRule packages_have_no_cycles = slices().matching("io.sallyport.router.(*)..")
            .should()
            .beFreeOfCycles()
            .because("each concept is read without the ones above it");
}
