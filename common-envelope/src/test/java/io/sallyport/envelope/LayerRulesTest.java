package io.sallyport.envelope;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.sallyport.envelope", importOptions = ImportOption.DoNotIncludeTests.class)
class LayerRulesTest {
    @ArchTest
    static final ArchRule contract_is_pure = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    "io.sallyport.envelope..",
                    "io.sallyport.proto..",
                    "com.google.protobuf..",
                    "org.bouncycastle.crypto..",
                    "com.github.luben.zstd..")
            .because("every service and the simulation run the same contract, whatever they are built with");

    @ArchTest
    static final ArchRule contract_has_no_clock_and_no_io = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.io..", "java.nio.file..", "java.net..")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(java.time.Instant.class, "now")
            .because("a replay must decide as the first run did; time and bytes are arguments");

    @ArchTest
    static final ArchRule packages_have_no_cycles = slices().matching("io.sallyport.envelope.(*)..")
            .should()
            .beFreeOfCycles()
            .because("each concept is read without the ones above it");
}
