package io.thalweg.store;

import java.util.List;

/**
 * A place that contains rows of a view.
 *
 * @param tile H3 index, as of {@link io.thalweg.kernel.hex.HexTiling#tile}
 * @param group values of the other entities, as in {@link StoreKey}
 * @param lastEndMs the greatest window end of a row there, epoch ms; in stores that several processes share, up to ten minutes less
 */
public record Coverage(long tile, List<Object> group, long lastEndMs) {
    public Coverage {
        group = List.copyOf(group);
    }
}
