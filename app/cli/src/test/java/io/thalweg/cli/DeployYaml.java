package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Files of YAML in {@code deploy/}, and commands that they start. */
final class DeployYaml {
    static final Path DEPLOY = Checkout.file("deploy");
    static final Path KUBERNETES = DEPLOY.resolve("kubernetes");

    private DeployYaml() {}

    static List<JsonNode> documents(Path file) throws IOException {
        List<JsonNode> documents = new ArrayList<>();
        ObjectMapper json = new ObjectMapper();
        new Load(LoadSettings.builder().build())
                .loadAllFromString(Files.readString(file))
                .forEach(document -> documents.add(json.valueToTree(document)));
        return documents;
    }

    static JsonNode document(Path file) throws IOException {
        List<JsonNode> documents = documents(file);
        assertThat(documents).as(file.toString()).hasSize(1);
        return documents.get(0);
    }

    /** The objects in the files that both {@code kustomization.yaml} name as resources. */
    static List<JsonNode> kubernetesObjects() throws IOException {
        List<JsonNode> objects = new ArrayList<>();
        for (String part : List.of("base", "flink")) {
            Path folder = KUBERNETES.resolve(part);
            for (String file :
                    texts(document(folder.resolve("kustomization.yaml")).get("resources"))) {
                if (file.endsWith(".yaml")) {
                    objects.addAll(documents(folder.resolve(file)));
                }
            }
        }
        return objects;
    }

    static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(text -> texts.add(text.asText()));
        return texts;
    }

    /** Requires an existing command with existing options. Does not check the files that it names. */
    static void requireCommand(List<String> words) {
        List<String> help = new ArrayList<>(words);
        help.add("--help");
        TestConsole console = new TestConsole();
        assertThat(console.run(help.toArray(String[]::new)))
                .as("%s%n%s", words, console.err())
                .isZero();
        for (String word : words) {
            if (word.startsWith("--")) {
                assertThat(console.out()).as(words.toString()).containsPattern(word + "\\b");
            }
        }
    }

    /** Requires an image with a pinned version, so that it does not change under its users. */
    static void requirePinned(String image) {
        assertThat(image).matches("[a-z.]+(/[a-z.-]+)+:v?\\d+\\.\\d+.*|\\$\\{THALWEG_IMAGE:-thalweg:local}|thalweg");
    }
}
