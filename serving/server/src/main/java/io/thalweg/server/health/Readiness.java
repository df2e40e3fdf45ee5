package io.thalweg.server.health;

import io.thalweg.model.view.FeatureView;
import io.thalweg.server.http.AnswerJson;
import io.thalweg.server.read.FeatureReader;
import io.thalweg.store.StoreException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether reads get current values: the store answers, the job is not in a restart loop, and each view's watermark is
 * recent and not of the future.
 *
 * <p><b>Threads.</b> Safe. {@link #look} blocks on the store.
 */
public final class Readiness {
    /** How far the rows of a table may be ahead of this machine's clock. */
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(1);

    private final FeatureReader reader;
    private final JobProbe job;
    private final @Nullable Duration maxAge;
    private final Predicate<FeatureView> awaited;

    /**
     * Creates a check of all views of a reader.
     *
     * @param maxAge how far a watermark may be behind; null = each view's {@code ttl}, after which its values are not served
     * @param awaited views that may have no rows, because reads do not get them yet
     */
    public Readiness(FeatureReader reader, JobProbe job, @Nullable Duration maxAge, Predicate<FeatureView> awaited) {
        this.reader = reader;
        this.job = job;
        this.maxAge = maxAge;
        this.awaited = awaited;
    }

    /**
     * The result of a check.
     *
     * @param job the problem of the job
     * @param views by qualified name
     */
    public record Report(Optional<String> job, Map<String, ViewState> views) {
        public boolean isReady() {
            return job.isEmpty() && views.values().stream().allMatch(view -> view.reason() == null);
        }

        /** Returns the body of its answer. */
        public byte[] json() {
            return AnswerJson.bytes(out -> {
                out.writeStringField("status", isReady() ? "OK" : "NOT_READY");
                out.writeStringField("job", job.orElse(null));
                out.writeObjectFieldStart("views");
                for (Map.Entry<String, ViewState> view : views.entrySet()) {
                    out.writeObjectFieldStart(view.getKey());
                    out.writeBooleanField("ready", view.getValue().reason() == null);
                    out.writeStringField("reason", view.getValue().reason());
                    AnswerJson.time(out, "watermark", view.getValue().watermarkMs());
                    AnswerJson.number(out, "watermark_age_ms", view.getValue().ageMs());
                    out.writeEndObject();
                }
                out.writeEndObject();
            });
        }
    }

    /**
     * One view.
     *
     * @param reason why it is not ready; null if it is
     */
    public record ViewState(
            OptionalLong watermarkMs,
            OptionalLong ageMs,
            @Nullable String reason) {}

    public Report look() {
        Map<String, ViewState> views = new LinkedHashMap<>();
        for (FeatureView view : reader.views()) {
            views.put(view.qualifiedName(), look(view));
        }
        return new Report(job.trouble(), views);
    }

    /** Checks one view. */
    public ViewState look(FeatureView view) {
        OptionalLong watermarkMs;
        try {
            watermarkMs = reader.watermark(view);
        } catch (StoreException e) {
            return new ViewState(OptionalLong.empty(), OptionalLong.empty(), "the store does not answer");
        }
        if (watermarkMs.isEmpty()) {
            String reason = awaited.test(view) ? null : "no window end has been written yet";
            return new ViewState(watermarkMs, OptionalLong.empty(), reason);
        }
        long ageMs = reader.nowMs() - watermarkMs.getAsLong();
        if (awaited.test(view)) {
            return new ViewState(watermarkMs, OptionalLong.of(ageMs), null);
        }
        return new ViewState(watermarkMs, OptionalLong.of(ageMs), reason(view, ageMs));
    }

    private @Nullable String reason(FeatureView view, long ageMs) {
        Duration ahead = view.isTable() ? CLOCK_SKEW : view.source().maxFuture().duration();
        if (-ageMs > ahead.toMillis()) {
            return "the watermark is %d s ahead of this machine's clock, at most %d s are allowed (%s): its rows hide newer ones until then"
                    .formatted(
                            -ageMs / 1_000,
                            ahead.toSeconds(),
                            view.isTable() ? "for tables" : "source.max_future of the view");
        }
        Duration bound = maxAge == null ? view.online().ttl().duration() : maxAge;
        if (ageMs > bound.toMillis()) {
            return "the watermark is %d s behind, at most %d s are allowed (%s)"
                    .formatted(
                            ageMs / 1_000,
                            bound.toSeconds(),
                            maxAge == null ? "online.ttl of the view" : "server.ready_max_age");
        }
        return null;
    }
}
