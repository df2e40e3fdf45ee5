package io.thalweg.qalm.wire;

import io.thalweg.qalm.Call;
import io.thalweg.qalm.Lane;
import io.thalweg.qalm.Refusal;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The headers of an answer that describe the decision on its call: {@link CallHeaders#THRESHOLD} for clients and {@link
 * CallHeaders#DECISION} for operators. Answers to served calls have none while the gate is open.
 */
public final class DecisionHeaders {
    private static final int RANKS = 512;

    private DecisionHeaders() {}

    /** Writes the headers of an answer to a served call. */
    public static void write(Lane lane, Call call, BiConsumer<String, String> header) {
        write(lane, call, null, header);
    }

    /** Writes the headers of an answer; {@code refusal} is null if the call is served. */
    public static void write(Lane lane, Call call, @Nullable Refusal refusal, BiConsumer<String, String> header) {
        int rank = lane.thresholdRank();
        if (rank < RANKS) {
            header.accept(CallHeaders.THRESHOLD, Integer.toString(rank));
        }
        if (rank < RANKS || refusal != null) {
            header.accept(CallHeaders.DECISION, decision(lane.endpoint(), call, refusal));
        }
    }

    private static String decision(String endpoint, Call call, @Nullable Refusal refusal) {
        String reason = refusal == null ? "served" : refusal.name().toLowerCase(Locale.ROOT);
        // A path may contain characters that are not allowed in headers.
        String lane = endpoint.replaceAll("[^\\x20-\\x7e]|;", "?");
        return "lane=" + lane + ";level=" + call.criticality().level() + ";reason=" + reason;
    }
}
