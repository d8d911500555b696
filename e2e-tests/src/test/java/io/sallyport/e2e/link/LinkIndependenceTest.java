package io.sallyport.e2e.link;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Keeps these tests what somebody else would write. */
class LinkIndependenceTest {

    @Test
    void shouldUseNothingOfSallyportButItsStart() {
        noClasses()
                .that()
                .resideInAPackage("io.sallyport.e2e.link..")
                .and()
                .doNotHaveSimpleName("LocalStackTarget")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.sallyport.envelope..",
                        "io.sallyport.proto..",
                        "io.sallyport.session..",
                        "io.sallyport.sim..",
                        "io.sallyport.local..")
                .because("a mistake that client and gateway share would not be seen")
                .check(new ClassFileImporter().importPackages("io.sallyport.e2e.link"));
    }

    @Test
    void shouldHaveTheMessagesOfThePage() throws IOException {
        String page = Pattern.compile("```proto\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("../docs/sensor-link.md")))
                .results()
                .map(result -> result.group(1))
                .collect(Collectors.joining());
        String copy = Files.readString(Path.of("src/test/proto/sensor_link_page.proto"));
        assertThat(lines(copy)).isEqualTo(lines(page));
    }

    private static String lines(String proto) {
        return proto.lines()
                .filter(line -> !line.isBlank() && !line.startsWith("//") && !line.startsWith("option java_"))
                .collect(Collectors.joining("\n"));
    }
}
