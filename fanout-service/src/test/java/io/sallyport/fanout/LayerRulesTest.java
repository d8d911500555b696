package io.sallyport.fanout;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.sallyport.layers.LayerRules;

@AnalyzeClasses(packages = "io.sallyport.fanout", importOptions = ImportOption.DoNotIncludeTests.class)
class LayerRulesTest {
    @ArchTest
    static final ArchTests every_module = ArchTests.in(LayerRules.class);

    @ArchTest
    static final ArchRule edges_do_not_see_each_other = slices().matching("io.sallyport.fanout.(rest|grpc)..")
            .should()
            .notDependOnEachOther()
            .because("both ask the same desks, so that neither has rules of its own");

    @ArchTest
    static final ArchRule desks_do_not_know_their_edges = noClasses()
            .that()
            .resideInAnyPackage("..fanout.publishing..", "..fanout.core..", "..fanout.status..", "..fanout.kafka..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "..fanout.rest..",
                    "..fanout.grpc..",
                    "..fanout.streams..",
                    "org.springframework..",
                    "jakarta.servlet..",
                    "io.grpc..")
            .because("what is done for a caller does not depend on how the call came");

    @ArchTest
    static final ArchRule the_decider_stays_apart_from_the_edges = noClasses()
            .that()
            .resideInAPackage("..fanout.streams..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "..fanout.publishing..", "..fanout.status..", "..fanout.kafka..", "org.springframework..")
            .because("the decider could run without any edge beside it");

    @ArchTest
    static final ArchRule technologies_stay_in_their_packages = noClasses()
            .that()
            .resideOutsideOfPackages("..fanout.kafka..", "..fanout.streams..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.kafka..")
            .because("only two packages know how the log is spoken to");

    @ArchTest
    static final ArchRule rocksdb_stays_with_the_stores = noClasses()
            .that()
            .resideOutsideOfPackages("..fanout.status..", "..fanout.streams..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.rocksdb..")
            .because("a store can be replaced without its readers");

    @ArchTest
    static final ArchRule the_generated_parser_stays_inside = noClasses()
            .that()
            .resideOutsideOfPackages("..fanout.selector..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.antlr..")
            .because("the language is the core's; its grammar is one way to read it");
}
