package io.thalweg.server.read;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request for the history of a key.
 *
 * @param view qualified name
 * @param entities the one key, as in {@link ReadRequest#entities}
 * @param features empty = all
 * @param asOf the newest window end is at or before this time; null = the watermark
 * @param last the number of window ends, 1 to {@value #LAST_MAX}
 */
public record HistoryRequest(
        String view,
        List<Map<String, Object>> entities,
        List<String> features,
        @Nullable Instant asOf,
        int last) {
    /** Each is a lookup in the store; all are sent at once. */
    public static final int LAST_MAX = 400;
}
