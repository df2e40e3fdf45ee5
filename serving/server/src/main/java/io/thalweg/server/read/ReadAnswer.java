package io.thalweg.server.read;

import io.thalweg.model.row.Finality;
import io.thalweg.model.row.ReadStatus;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a read in either protocol: rows in the order of the keys, values in the order of the features. Times are
 * epoch ms.
 */
public record ReadAnswer(String view, OptionalLong watermarkMs, List<String> features, List<Row> rows) {
    /**
     * The answer for one key.
     *
     * @param entities in the view's order and in canonical form
     * @param finality null if there are no values
     * @param windowEndMs absent where the view has no watermark
     * @param values {@code Double}, {@code Long}, {@code BigInteger}, {@code String} or a list of {@code Double}, null for
     * one that is
     *     absent; null where all are missing
     */
    public record Row(
            Map<String, Object> entities,
            ReadStatus status,
            @Nullable Finality finality,
            OptionalLong windowEndMs,
            OptionalLong ageMs,
            @Nullable List<@Nullable Object> values) {
        /** Returns a hash of the key, the same in all servers. Unlike the hash of the map, it needs no text of a cell. */
        public long keyHash() {
            return entities instanceof KeyEntities key ? key.hash() : entities.hashCode();
        }
    }
}
