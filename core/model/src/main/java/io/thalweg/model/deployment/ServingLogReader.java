package io.thalweg.model.deployment;

import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads {@code server.serving_log}. */
final class ServingLogReader {
    private static final int SHORTEST_SECRET = 16;

    private final Function<YamlValue, String> text;
    private final Function<YamlValue, Path> path;

    /**
     * Creates a reader.
     *
     * @param text substitutes variables in a value
     * @param path reads a file name
     */
    ServingLogReader(Function<YamlValue, String> text, Function<YamlValue, Path> path) {
        this.text = text;
        this.path = path;
    }

    ServingLogConfig read(YamlValue value) {
        YamlMap map = value.map();
        ServingLogConfig read = new ServingLogConfig(
                map.required("dir", ".thalweg/served").map(path).orElse(Path.of(".")),
                map.optional("sample").map(ServingLogReader::sample).orElse(ServingLogConfig.SAMPLE),
                map.optional("max_per_second")
                        .map(most -> most.integer(1, 1_000_000))
                        .orElse(ServingLogConfig.MAX_PER_SECOND),
                map.optional("views")
                        .map(views -> views.list().stream().map(YamlValue::text).toList())
                        .orElse(List.of()),
                map.optional("keep").map(YamlValue::positiveDuration).orElse(ServingLogConfig.KEEP),
                map.optional("hash_secret").map(this::secret).orElse(null));
        map.close();
        return read;
    }

    private static double sample(YamlValue value) {
        if (value.scalar() instanceof Number number && number.doubleValue() > 0 && number.doubleValue() <= 1) {
            return number.doubleValue();
        }
        value.wrong("a number above 0 to 1, the share of keys and minutes whose answers are kept, such as 0.01");
        return ServingLogConfig.SAMPLE;
    }

    private @Nullable String secret(YamlValue value) {
        String secret = text.apply(value);
        if (secret.length() < SHORTEST_SECRET) {
            value.problem(
                    "must have at least %d characters, had %d; such as ${SERVED_SECRET} with the output of openssl rand -hex 32"
                            .formatted(SHORTEST_SECRET, secret.length()));
        }
        return secret;
    }
}
