package io.sallyport.session;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.springframework.beans.factory.annotation.Autowired;

@AnalyzeClasses(packages = "io.sallyport.session", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule core = classes()
            .that()
            .resideInAPackage("..session.core..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.sallyport.session.core..",
                    "io.sallyport.envelope..",
                    "io.sallyport.proto..",
                    "com.google.protobuf..",
                    "java..",
                    "org.jspecify..")
            .because("decisions run the same in production, in tests and in the simulation");

    @ArchTest
    static final ArchRule coreHasNoClock = noClasses()
            .that()
            .resideInAPackage("..session.core..")
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .dependOnClassesThat()
            .resideInAnyPackage("java.util.concurrent.locks..", "java.net..", "java.nio.file..")
            .orShould()
            .dependOnClassesThat()
            .haveNameMatching("java\\.util\\.(Random|concurrent\\.ThreadLocalRandom|UUID)")
            .because("time and chance come in as arguments, so that a seed replays a run");

    @ArchTest
    static final ArchRule netty = noClasses()
            .that()
            .resideOutsideOfPackage("..session.netty..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.netty..")
            .because("Netty's buffers and threads have rules of their own, which one package keeps");

    @ArchTest
    static final ArchRule kafka = noClasses()
            .that()
            .resideOutsideOfPackages("..session.kafka..", "..session.streams..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.kafka..")
            .because("the log is an interface of the core; what it is made of is one package's business");

    @ArchTest
    static final ArchRule tokens = noClasses()
            .that()
            .resideOutsideOfPackage("..session.auth..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.nimbusds..")
            .because("whoever parses a token must also check it");

    @ArchTest
    static final ArchRule linkDoesNotSeeTheLog = noClasses()
            .that()
            .resideInAPackage("..session.netty..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "..session.kafka..",
                    "..session.streams..",
                    "..session.auth..",
                    "..session.http..",
                    "..session.config..")
            .because("technologies meet in the core, and are put together in config");

    @ArchTest
    static final ArchRule logDoesNotSeeTheLink = noClasses()
            .that()
            .resideInAnyPackage("..session.kafka..", "..session.streams..", "..session.auth..", "..session.http..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("..session.netty..", "..session.config..")
            .because("technologies meet in the core, and are put together in config");

    @ArchTest
    static final ArchRule noCycles = slices().matching("io.sallyport.session.(*)..")
            .should()
            .beFreeOfCycles()
            .because("a package that can be understood alone can be changed alone");

    @ArchTest
    static final ArchRule noFieldInjection = fields().should()
            .notBeAnnotatedWith(Autowired.class)
            .because("what a class needs stands in its constructor");
}
