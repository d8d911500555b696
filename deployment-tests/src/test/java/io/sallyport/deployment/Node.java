package io.sallyport.deployment;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A place in a document, which may be empty: asking deeper than there is gives an empty place. */
record Node(JsonElement json) {
    private static final Node NOTHING = new Node(JsonNull.INSTANCE);

    /** @param path names of fields, separated by slashes */
    Node at(String path) {
        JsonElement found = json;
        for (String name : path.split("/")) {
            if (!(found instanceof JsonObject object) || !object.has(name)) {
                return NOTHING;
            }
            found = object.get(name);
        }
        return new Node(found);
    }

    boolean exists() {
        return !json.isJsonNull();
    }

    /** The text of a text, number or truth value; empty where there is none. */
    String text() {
        return json.isJsonPrimitive() ? json.getAsString() : "";
    }

    int number() {
        return json.getAsInt();
    }

    boolean isTrue() {
        return json.isJsonPrimitive() && json.getAsBoolean();
    }

    boolean isList() {
        return json.isJsonArray();
    }

    Stream<Node> items() {
        return json instanceof JsonArray array
                ? StreamSupport.stream(array.spliterator(), false).map(Node::new)
                : Stream.empty();
    }

    List<String> texts() {
        return items().map(Node::text).toList();
    }

    Map<String, Node> fields() {
        return json instanceof JsonObject object
                ? object.entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, entry -> new Node(entry.getValue())))
                : Map.of();
    }

    String kind() {
        return at("kind").text();
    }

    String name() {
        return at("metadata/name").text();
    }

    @Override
    public String toString() {
        return kind().isEmpty() ? json.toString() : kind() + " " + name();
    }
}
