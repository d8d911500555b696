package io.sallyport.router;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.sallyport.layers.LayerRules;

@AnalyzeClasses(packages = "io.sallyport.router", importOptions = ImportOption.DoNotIncludeTests.class)
class LayerRulesTest {
    @ArchTest
    static final ArchTests every_module = ArchTests.in(LayerRules.class);

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
}
