package io.sallyport.session;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.sallyport.layers.LayerRules;

@AnalyzeClasses(packages = "io.sallyport.session", importOptions = ImportOption.DoNotIncludeTests.class)
class LayerRulesTest {
    @ArchTest
    static final ArchTests every_module = ArchTests.in(LayerRules.class);

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
}
