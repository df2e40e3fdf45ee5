package io.thalweg.model.yaml;

import io.thalweg.model.problem.Problems;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/** Reads the documents of a YAML 1.2 file (core schema: {@code NO} and {@code on} are text). */
public final class YamlFile {
    private YamlFile() {}

    /** Reads the text of a file; if it cannot be read, reports a problem and returns empty. */
    public static Optional<String> text(Path path, Problems problems) {
        try {
            return Optional.of(text(path));
        } catch (IOException e) {
            problems.add(path.toString(), 0, "", "cannot be read: " + reason(path, e));
            return Optional.empty();
        }
    }

    /**
     * Reads the text of a file.
     *
     * @throws IOException if it cannot be read, or is not UTF-8; see {@link #reason}
     */
    public static String text(Path path) throws IOException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(Files.readAllBytes(path)))
                .toString();
    }

    /** Returns why a file cannot be read, worded to follow a colon. */
    public static String reason(Path path, IOException e) {
        if (e instanceof NoSuchFileException) {
            return "no such file";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof CharacterCodingException) {
            return "it must be UTF-8";
        }
        return Files.isDirectory(path) ? "it is a folder" : String.valueOf(e.getMessage());
    }

    /** Returns the documents of a text that are not empty; reports a problem if the text is not YAML. */
    public static List<YamlValue> documents(String text, String file, Problems problems) {
        List<YamlValue> documents = new ArrayList<>();
        LoadSettings settings = LoadSettings.builder()
                .setLabel(file)
                .setSchema(new CoreSchema())
                .build();
        try {
            for (Node node : new Compose(settings).composeAllFromString(text)) {
                if (!node.getTag().equals(Tag.NULL)) {
                    documents.add(new YamlValue(problems, file, "", node));
                }
            }
        } catch (MarkedYamlEngineException e) {
            int line = e.getProblemMark().map(Mark::getLine).orElse(-1) + 1;
            String column = e.getProblemMark()
                    .map(mark -> " at column " + (mark.getColumn() + 1))
                    .orElse("");
            problems.add(file, line, "", "is not YAML" + column + ": " + YamlFault.words(e.getProblem()));
        } catch (YamlEngineException e) {
            problems.add(file, 0, "", "is not YAML: " + YamlFault.words(String.valueOf(e.getMessage())));
        }
        return documents;
    }
}
