package io.thalweg.model.ingest;

import io.thalweg.model.ingest.Ingest.PubSub;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.time.Duration;
import java.util.List;

/** Reads the source of an ingest that is a subscription of Pub/Sub. */
final class PubSubReader {
    /** Keys that other sources do not have. */
    static final List<String> KEYS = List.of("pubsub_topic", "dedup", "streams");

    private static final int MOST_STREAMS = 1_000;
    private static final String PROJECT = "projects/[a-z][a-z0-9-]{4,28}[a-z0-9]";
    private static final String ID = "(?!goog)[A-Za-z][A-Za-z0-9._~+%-]{2,254}";

    private PubSubReader() {}

    static PubSub read(YamlMap source) {
        source.refused("start", "does not go with pubsub: the subscription knows what has been read; remove it");
        for (String key : List.of("kafka", "framing")) {
            source.refused(key, "does not go with pubsub; remove it");
        }
        String subscription = source.optional("pubsub")
                .map(value -> resource(value, "subscriptions", "rides-lake"))
                .orElse("?");
        return new PubSub(
                subscription,
                source.optional("pubsub_topic")
                        .map(value -> resource(value, "topics", "rides"))
                        .orElse(subscription.replace("/subscriptions/", "/topics/")),
                source.optional("dedup").map(PubSubReader::dedup).orElse(null),
                source.optional("streams")
                        .map(value -> value.integer(1, MOST_STREAMS))
                        .orElse(1));
    }

    private static String resource(YamlValue value, String kind, String example) {
        String name = value.isText() ? value.text() : "";
        if (!name.matches(PROJECT + "/" + kind + "/" + ID)) {
            value.wrong("projects/PROJECT/%s/ID, such as projects/my-project/%s/%s".formatted(kind, kind, example));
            return "?";
        }
        return name;
    }

    private static DurationText dedup(YamlValue value) {
        DurationText window = value.duration();
        if (window.duration().compareTo(Duration.ofSeconds(1)) < 0) {
            value.wrong("a duration of at least 1s, longer than a failed job takes to be back, such as 10m");
        }
        return window;
    }
}
