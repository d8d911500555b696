package io.sallyport.export;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.sallyport.layers.LayerRules;

@AnalyzeClasses(packages = "io.sallyport.export", importOptions = ImportOption.DoNotIncludeTests.class)
class LayerRulesTest {
    private static final String BASE = "io.sallyport.export";

    @ArchTest
    static final ArchTests EVERY_MODULE = ArchTests.in(LayerRules.class);

    @ArchTest
    static final ArchRule KAFKA_STAYS_OUTSIDE = noClasses()
            .that()
            .resideInAnyPackage(
                    BASE + ".core",
                    BASE + ".store",
                    BASE + ".s3",
                    BASE + ".manifest",
                    BASE + ".spill",
                    BASE + ".parquet",
                    BASE + ".work",
                    BASE + ".metrics")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.kafka..")
            .because("files are made the same from whatever gives the rows");

    @ArchTest
    static final ArchRule PARQUET_STAYS_IN_ITS_PACKAGE = noClasses()
            .that()
            .resideOutsideOfPackage(BASE + ".parquet")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.apache.parquet..", "org.apache.avro..", "org.apache.hadoop..", "com.github.luben..")
            .because("the file format is one package's knowledge");

    @ArchTest
    static final ArchRule AWS_STAYS_IN_ITS_PACKAGE = noClasses()
            .that()
            .resideOutsideOfPackage(BASE + ".s3")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("software.amazon..")
            .because("a bucket is one kind of store");
}
