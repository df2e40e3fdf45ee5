package io.thalweg.store.cassandra;

import io.thalweg.model.FeatureView;
import io.thalweg.model.GroupCodec;
import io.thalweg.store.Neighbourhoods;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Where a view's rows stand. A partition holds the rows of one group whose cells share the ancestor two levels up, at most 49, a
 * row for each; those of a keyed view's key stand alone. History is cut into spans of time, so that no partition grows without
 * bound.
 *
 * <pre>
 * key   ancestor (H3 index):8 group, or the key   bytes of {@link GroupCodec}
 * cell  the last two digits of the cell's index; 0 in keyed views
 * span  the first window end that may stand in the partition
 * </pre>
 *
 * <p><b>Threads.</b> Immutable.
 */
final class CassandraKeys {
    /** Window ends of a partition of 49 cells, some six thousand rows. */
    private static final int SPAN = 128;
    /** Window ends of a partition of one key. */
    private static final int KEYED_SPAN = 16_384;

    private final GroupCodec groups;
    private final Neighbourhoods neighbourhoods;
    private final long spanMs;

    CassandraKeys(FeatureView view) {
        groups = new GroupCodec(view.group());
        neighbourhoods = new Neighbourhoods(view);
        spanMs = view.windows().every().millis() * (view.isKeyed() ? KEYED_SPAN : SPAN);
    }

    Neighbourhoods neighbourhoods() {
        return neighbourhoods;
    }

    byte[] group(List<Object> group) {
        return groups.encode(group);
    }

    ByteBuffer key(long parent, byte[] group) {
        return ByteBuffer.allocate(Long.BYTES + group.length)
                .putLong(parent)
                .put(group)
                .flip();
    }

    /** Of a keyed view. */
    ByteBuffer key(List<Object> key) {
        return ByteBuffer.wrap(groups.encode(key));
    }

    short cell(long cell) {
        return (short) neighbourhoods.digits(cell);
    }

    long spanMs(long windowEndMs) {
        return Math.floorDiv(windowEndMs, spanMs) * spanMs;
    }

    /** The span before one. */
    long before(long span) {
        return span - spanMs;
    }
}
