package io.sallyport.normalizer;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_FIELD_INJECTION;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.sallyport.normalizer", importOptions = ImportOption.DoNotIncludeTests.class)
class LayerRulesTest {
    private static final String BASE = "io.sallyport.normalizer";

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
            .because("a decision must come out the same in a replay and in a test, with no technology around it");

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
            .because("time comes from the raw record alone");

    @ArchTest
    static final ArchRule KAFKA_STAYS_OUTSIDE = noClasses()
            .that()
            .resideInAnyPackage(BASE + ".core", BASE + ".metrics", BASE + ".config")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.kafka..", "org.rocksdb..")
            .because("the log's client is a technology of streams, kafka and requeue");

    @ArchTest
    static final ArchRule SPRING_STAYS_IN_CONFIG = noClasses()
            .that()
            .resideInAnyPackage(
                    BASE + ".core",
                    BASE + ".streams",
                    BASE + ".kafka",
                    BASE + ".requeue",
                    BASE + ".generation",
                    BASE + ".replay",
                    BASE + ".metrics")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework..")
            .because("everything but the wiring can be used without a container");

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

    @ArchTest
    static final ArchRule NO_CYCLES =
            slices().matching(BASE + ".(*)..").should().beFreeOfCycles().because("packages are read in one order");

    @ArchTest
    static final ArchRule NO_FIELD_INJECTION = NO_CLASSES_SHOULD_USE_FIELD_INJECTION;
}
