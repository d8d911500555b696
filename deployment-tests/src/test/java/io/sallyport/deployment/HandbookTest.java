package io.sallyport.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sallyport.envelope.topic.TopicSpec;
import io.sallyport.envelope.topic.Topics;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** docs/operations.md names what there is. */
class HandbookTest {
    private static final Pattern QUOTED = Pattern.compile("`([a-z-]+)`");

    private final String handbook = Repository.text("docs/operations.md");

    @Test
    void shouldSayHowEveryTopicIsBackedUpOrWhyNot() {
        String section = handbook.replaceFirst("(?s).*## Back up and restore(.*?)\n## .*", "$1");
        Set<String> named = QUOTED.matcher(section.lines()
                        .filter(line -> line.startsWith("|"))
                        .map(line -> line.split("\\|")[1])
                        .collect(Collectors.joining("\n")))
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(named)
                .isEqualTo(Topics.all().stream().map(TopicSpec::name).collect(Collectors.toCollection(TreeSet::new)));
    }

    @Test
    void shouldListEveryPortThatComposePublishes() {
        ComposeFile.services()
                .forEach((name, service) -> service.at("ports")
                        .texts()
                        .forEach(port -> assertThat(handbook)
                                .as("port %s of %s", port, name)
                                .contains(port.split(":")[1])));
    }

    @Test
    void shouldNameEveryService() {
        assertThat(handbook).contains(Repository.SERVICES);
    }
}
