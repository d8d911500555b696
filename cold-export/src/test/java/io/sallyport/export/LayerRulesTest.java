package io.sallyport.export;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_FIELD_INJECTION;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.sallyport.export", importOptions = ImportOption.DoNotIncludeTests.class)
class LayerRulesTest {
    private static final String BASE = "io.sallyport.export";

    @ArchTest
    static final ArchRule CORE_IS_PURE = classes()
            .that()
            .resideInAPackage(BASE + ".core")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    BASE + ".core",
                    "io.sallyport.envelope..",
                    "io.sallyport.proto..",
                    "com.google.protobuf..",
                    "org.jspecify..")
            .because("what a range holds must come out the same for every worker that finishes it");

    @ArchTest
    static final ArchRule CORE_HAS_NO_CLOCK = noClasses()
            .that()
            .resideInAPackage(BASE + ".core")
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.time.Instant")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.util.Random")
            .because("times are arguments");

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

    @ArchTest
    static final ArchRule SPRING_STAYS_IN_CONFIG = noClasses()
            .that()
            .resideInAnyPackage(
                    BASE + ".core",
                    BASE + ".store",
                    BASE + ".s3",
                    BASE + ".manifest",
                    BASE + ".spill",
                    BASE + ".parquet",
                    BASE + ".work",
                    BASE + ".kafka",
                    BASE + ".metrics")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework..")
            .because("everything but the wiring can be used without a container");

    @ArchTest
    static final ArchRule NO_CYCLES =
            slices().matching(BASE + ".(*)..").should().beFreeOfCycles().because("packages are read in one order");

    @ArchTest
    static final ArchRule NO_FIELD_INJECTION = NO_CLASSES_SHOULD_USE_FIELD_INJECTION;
}
