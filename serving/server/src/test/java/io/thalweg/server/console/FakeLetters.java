package io.thalweg.server.console;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.ServerFixture;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Dead letters of the view {@code demand}, with content that tests look for. */
final class FakeLetters implements ViewInsight, DeadLetterTail {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** A change of text direction, an unassigned character, markup, and a control character. */
    static final String HOSTILE = "{\"rider\":\"<img src=x onerror=alert(1)>\u202egnp\u200b\"}\u0007\n</pre>";

    volatile boolean answers = true;

    private final Function<FeatureView, String> explain;

    /** Explains jobs with this function. */
    FakeLetters(Function<FeatureView, String> explain) {
        this.explain = explain;
    }

    @Override
    public String explain(FeatureView view) {
        return explain.apply(view);
    }

    @Override
    public Optional<Footprint> footprint(FeatureView view, double eventsPerSecond, double rowsPerSecond) {
        return Optional.of(new Footprint(48 * eventsPerSecond, 100 * rowsPerSecond));
    }

    @Override
    public Optional<Skew> skew(FeatureView view) {
        return Optional.of(new Skew(Instant.EPOCH, Map.of("equal", 9L, "stale", 1L)));
    }

    @Override
    public Optional<DeadLetterTail> letters() {
        return Optional.of(this);
    }

    @Override
    public List<Letter> latest(FeatureView view, @Nullable String reason, int limit) throws IOException {
        if (!answers) {
            throw new IOException("topic rider-events-dead: no broker");
        }
        return List.of(
                        letter(7, "late", "it is behind the watermark", "{}", "text"),
                        letter(5, "undecodable", HOSTILE, HOSTILE, "text"),
                        letter(4, "undecodable", "no JSON", "AP8Q" + "A".repeat(8_000), "base64"))
                .stream()
                .filter(letter -> view.qualifiedName().equals("demand"))
                .filter(letter ->
                        reason == null || letter.json().path("reason").asText().equals(reason))
                .limit(limit)
                .toList();
    }

    private static Letter letter(long offset, String reason, String detail, String raw, String encoding) {
        return new Letter(
                1,
                offset,
                ServerFixture.T + offset,
                JSON.createObjectNode()
                        .put("view", "demand")
                        .put("reason", reason)
                        .put("detail", detail)
                        .put("source", "rider-events")
                        .put("partition", 2)
                        .put("offset", 1_000 + offset)
                        .putNull("time")
                        .put("raw", raw)
                        .put("raw_encoding", encoding)
                        .put("raw_bytes", raw.length())
                        .put("truncated", false));
    }

    @Override
    public Optional<Judgement> judge(FeatureView view, int partition, long offset) {
        if (partition != 1 || !view.qualifiedName().equals("demand")) {
            return Optional.empty();
        }
        return Optional.of(
                offset == 7 ? new Judgement("accepted", null, null) : new Judgement("bad", "undecodable", HOSTILE));
    }
}
