package io.sallyport.deployment;

import java.util.Map;

/** docker-compose.yml, its anchors resolved. */
final class ComposeFile {
    private ComposeFile() {}

    static Node whole() {
        return Repository.yaml("docker-compose.yml");
    }

    static Map<String, Node> services() {
        return whole().at("services").fields();
    }
}
