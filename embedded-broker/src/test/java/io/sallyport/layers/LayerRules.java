package io.sallyport.layers;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** How every module is laid out: a pure core in the middle, technologies around it, Spring only where they are put together. */
public final class LayerRules {
    @ArchTest
    static final ArchRule core_is_pure = classes()
            .that()
            .resideInAPackage("io.sallyport.*.core..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    "com.google.protobuf..",
                    "io.sallyport.envelope..",
                    "io.sallyport.proto.link..",
                    "io.sallyport.proto.log..",
                    // The layout of the normalizer's own state.
                    "io.sallyport.proto.normalizer..",
                    // What a library gives to its users stands there.
                    "io.sallyport.consumer",
                    "io.sallyport.*.core..")
            .because("the same decisions run in production, in a replay and in the simulation");

    @ArchTest
    static final ArchRule core_has_no_clock_no_chance_and_no_io = noClasses()
            .that()
            .resideInAPackage("io.sallyport.*.core..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.nio.file..", "java.net..")
            .orShould()
            .dependOnClassesThat()
            .haveNameMatching(
                    "java\\.io\\.(File|RandomAccess).*|java\\.util\\.(Random|concurrent\\.ThreadLocalRandom)|java\\.time\\.Clock")
            .orShould()
            .callMethod(java.util.UUID.class, "randomUUID")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(java.time.Instant.class, "now")
            .because("whoever decides again must decide the same; time and chance are arguments");

    @ArchTest
    static final ArchRule spring_stays_in_the_wiring_and_at_the_edges = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "io.sallyport.*",
                    "io.sallyport.*.config..",
                    "io.sallyport.*.auth..",
                    "io.sallyport.*.rest..",
                    "io.sallyport.*.grpc..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework..")
            .because("what the parts do does not depend on how they are put together");

    @ArchTest
    static final ArchRule nothing_is_injected_into_fields = noFields()
            .should()
            .beAnnotatedWith("org.springframework.beans.factory.annotation.Autowired")
            .orShould()
            .beAnnotatedWith("org.springframework.beans.factory.annotation.Value")
            .because("a constructor shows what a part needs");

    @ArchTest
    static final ArchRule packages_have_no_cycles = slices().matching("io.sallyport.*.(*)..")
            .should()
            .beFreeOfCycles()
            .because("each concept is read without the ones above it");

    private LayerRules() {}
}
