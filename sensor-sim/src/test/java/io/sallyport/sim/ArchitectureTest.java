package io.sallyport.sim;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.sallyport.sim", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule corePure = classes()
            .that()
            .resideInAPackage("..sim.core..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java.lang..",
                    "java.nio",
                    "java.util",
                    "java.util.function",
                    "java.util.stream",
                    "org.jspecify..",
                    "com.google.protobuf..",
                    "io.sallyport.envelope..",
                    "io.sallyport.proto..",
                    "io.sallyport.sim.core..")
            .because("the core decides alone; whatever does I/O, reads a clock or logs stays outside, so that tests"
                    + " can run any schedule");

    @ArchTest
    static final ArchRule nettyStaysInItsPackage = noClasses()
            .that()
            .resideOutsideOfPackage("..sim.netty..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.netty..")
            .because("sockets and buffers are the link's business");

    @ArchTest
    static final ArchRule rocksStaysInItsPackage = noClasses()
            .that()
            .resideOutsideOfPackage("..sim.spool..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.rocksdb..")
            .because("a sensor does not know how its spool keeps events");

    @ArchTest
    static final ArchRule linkKnowsNoSpool = noClasses()
            .that()
            .resideInAPackage("..sim.netty..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("..sim.spool..", "..sim.core..", "..sim.fleet..")
            .because("bytes in and bytes out decide nothing");

    @ArchTest
    static final ArchRule spoolKnowsNoLink = noClasses()
            .that()
            .resideInAPackage("..sim.spool..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("..sim.netty..", "..sim.fleet..")
            .because("technology packages do not see each other");

    @ArchTest
    static final ArchRule noCycles =
            slices().matching("io.sallyport.sim.(*)..").should().beFreeOfCycles();
}
