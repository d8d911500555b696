package io.sallyport.normalizer;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.sallyport.layers.LayerRules;

@AnalyzeClasses(packages = "io.sallyport.normalizer", importOptions = ImportOption.DoNotIncludeTests.class)
class LayerRulesTest {
    private static final String BASE = "io.sallyport.normalizer";

    @ArchTest
    static final ArchTests EVERY_MODULE = ArchTests.in(LayerRules.class);

    @ArchTest
    static final ArchRule KAFKA_STAYS_OUTSIDE = noClasses()
            .that()
            .resideInAnyPackage(BASE + ".core", BASE + ".metrics", BASE + ".config")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.kafka..", "org.rocksdb..")
            .because("the log's client is a technology of streams, kafka and requeue");

    @ArchTest
    static final ArchRule TECHNOLOGIES_DO_NOT_SEE_EACH_OTHER = noClasses()
            .that()
            .resideInAPackage(BASE + ".streams")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    BASE + ".kafka", BASE + ".requeue", BASE + ".generation", BASE + ".replay", BASE + ".config")
            .because("what the topology needs of the others reaches it as a function");

    @ArchTest
    static final ArchRule REQUEUE_STANDS_ALONE = noClasses()
            .that()
            .resideInAPackage(BASE + ".requeue")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(BASE + ".kafka", BASE + ".streams", BASE + ".config", BASE + ".metrics")
            .because("an operator's command uses it without a running normalizer");
}
