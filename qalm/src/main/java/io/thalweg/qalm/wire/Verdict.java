package io.thalweg.qalm.wire;

import io.thalweg.qalm.Call;
import io.thalweg.qalm.Lane;
import io.thalweg.qalm.Refusal;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What an answer says of how it was decided, for clients ({@link CallHeaders#THRESHOLD}) and for people who wonder ({@link
 * CallHeaders#DECISION}). In calm times it says nothing and costs nothing.
 */
public final class Verdict {
    private static final int RANKS = 512;

    private Verdict() {}

    /** Writes the headers of an answer to a call that is served. */
    public static void tell(Lane lane, Call call, BiConsumer<String, String> header) {
        tell(lane, call, null, header);
    }

    /** Writes the headers of an answer; {@code refusal} is null if the call is served. */
    public static void tell(Lane lane, Call call, @Nullable Refusal refusal, BiConsumer<String, String> header) {
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
        // Paths may hold what headers may not.
        String lane = endpoint.replaceAll("[^\\x20-\\x7e]|;", "?");
        return "lane=" + lane + ";level=" + call.criticality().level() + ";reason=" + reason;
    }
}
