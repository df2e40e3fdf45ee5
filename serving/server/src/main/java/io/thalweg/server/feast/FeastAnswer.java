package io.thalweg.server.feast;

import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a client of Feast: by join key and feature, not by entity.
 *
 * @param columns join keys in the order given, then features in the order requested
 */
record FeastAnswer(List<Column> columns) {
    /** Feast's statuses of a value. */
    enum Status {
        INVALID,
        PRESENT,
        NULL_VALUE,
        NOT_FOUND,
        OUTSIDE_MAX_AGE
    }

    /** The values of one join key or feature, in the order of the entities. */
    record Column(String name, List<Cell> cells) {}

    /**
     * A value.
     *
     * @param value {@code Double}, {@code Long}, {@code BigInteger}, {@code String}, a list of {@code Double}, all features of an
     *     array as a list of {@code Float}, for a join key what was given; null where there is none
     * @param windowEndMs epoch ms; absent for join keys and where there was never a row
     */
    record Cell(@Nullable Object value, Status status, OptionalLong windowEndMs) {}
}
