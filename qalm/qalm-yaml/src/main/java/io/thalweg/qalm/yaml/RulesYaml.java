package io.thalweg.qalm.yaml;

import io.thalweg.qalm.registry.Notation;
import io.thalweg.qalm.registry.Rules;
import io.thalweg.qalm.registry.RulesException;
import io.thalweg.qalm.registry.RulesTree;
import io.thalweg.qalm.registry.Sources;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Reads and writes {@link Rules} as YAML 1.2; a written document reads back as the same rules. JSON is YAML too.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class RulesYaml {
    /** YAML 1.2 with the JSON schema of snakeyaml-engine: {@code NO} and {@code on} are text. */
    public static final Notation NOTATION = new Yaml();

    private RulesYaml() {}

    /**
     * Returns the sources for a rules file that operators edit on this machine.
     *
     * @param file polled for changes; null for rules that only {@link io.thalweg.qalm.registry.Registry#change} edits
     * @param folder the folder where the registry stores the rules in force and the audit trail; created if missing
     */
    public static Sources file(@Nullable Path file, Path folder) {
        return new Sources(NOTATION, file, null, folder);
    }

    /**
     * Reads a document.
     *
     * @param name of the document, for messages
     * @throws RulesException with all problems
     */
    public static Rules parse(String name, String text) {
        return RulesTree.parse(NOTATION, name, text);
    }

    /** Writes a document. */
    public static String write(Rules rules) {
        return NOTATION.write(RulesTree.of(rules));
    }

    private static final class Yaml implements Notation {
        private static final DumpSettings BLOCKS =
                DumpSettings.builder().setDefaultFlowStyle(FlowStyle.BLOCK).build();

        @Override
        public @Nullable Object read(String name, String text) {
            try {
                return new Load(LoadSettings.builder().setLabel(name).build()).loadFromString(text);
            } catch (MarkedYamlEngineException e) {
                String place = e.getProblemMark()
                        .map(at -> "line %d, column %d: ".formatted(at.getLine() + 1, at.getColumn() + 1))
                        .orElse("");
                throw new RulesException(
                        name, List.of("is not YAML: " + place + "check the indentation, quotes and brackets there"));
            } catch (YamlEngineException e) {
                throw new RulesException(name, List.of("is not YAML"));
            }
        }

        @Override
        public String write(Map<String, Object> tree) {
            return new Dump(BLOCKS).dumpToString(tree);
        }
    }
}
