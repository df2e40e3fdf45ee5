package io.thalweg.server.read;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A read request of either protocol.
 *
 * @param view qualified name
 * @param entities one map per key, values {@code String}, {@code Long}, {@code Boolean} or, for anything else, {@link Other}
 * @param features empty = all
 * @param asOf null = now
 */
public record ReadRequest(
        String view,
        List<Map<String, Object>> entities,
        List<String> features,
        @Nullable Instant asOf,
        ReadFrom readFrom) {

    ReadRequest withFeatures(List<String> chosen) {
        return new ReadRequest(view, entities, chosen, asOf, readFrom);
    }

    /** The source of the values. */
    public enum ReadFrom {
        STORE,
        LIVE,
        BOTH
    }

    /** A value of a type that no entity has. */
    public record Other(String described) {
        @Override
        public String toString() {
            return described;
        }
    }
}
