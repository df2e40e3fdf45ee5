package io.thalweg.store;

import io.thalweg.model.view.FeatureView;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The bytes of keys and values in RocksDB. Numbers are big-endian; times have their sign bit flipped, so that bytes sort as
 * the times do.
 *
 * <pre>
 * newest   key    view 0x00 parent:8 group
 * history  key    view 0x00 window_end:8 parent:8 group
 * both     value  the bundle of packed rows of the cells below the parent
 *
 * of keyed views
 * newest   key    view 0x00 key
 * history  key    view 0x00 window_end:8 key
 * both     value  the packed row
 *
 * meta     'v'                          format version:4
 *          'r' view                     ttl:8 history:8                  what expiry needs of a view
 *          'p' view 0x00 shard:4        shards:4 window_end:8            progress
 * </pre>
 */
final class RowKeys {
    private final byte[] prefix;

    RowKeys(FeatureView view) {
        prefix = viewPrefix(view.qualifiedName());
    }

    /**
     * The key of {@code newest}.
     *
     * @param address parent and group, or a keyed view's key
     */
    byte[] newest(byte[] address) {
        return ByteBuffer.allocate(prefix.length + address.length)
                .put(prefix)
                .put(address)
                .array();
    }

    /** The key of {@code history}; {@code address} as of {@link #newest}. */
    byte[] history(long windowEndMs, byte[] address) {
        return ByteBuffer.allocate(prefix.length + Long.BYTES + address.length)
                .put(prefix)
                .putLong(sortable(windowEndMs))
                .put(address)
                .array();
    }

    /** The least history key of a view at or after a window end. */
    static byte[] historyFrom(String view, long windowEndMs) {
        byte[] prefix = viewPrefix(view);
        return ByteBuffer.allocate(prefix.length + Long.BYTES)
                .put(prefix)
                .putLong(sortable(windowEndMs))
                .array();
    }

    /** The qualified name of the view that a key of {@code newest} or {@code history} belongs to. */
    static String view(byte[] key) {
        int end = 0;
        while (key[end] != 0) {
            end++;
        }
        return new String(key, 0, end, StandardCharsets.UTF_8);
    }

    static byte[] progress(String view, int shard) {
        byte[] prefix = viewPrefix(view);
        return ByteBuffer.allocate(1 + prefix.length + Integer.BYTES)
                .put((byte) 'p')
                .put(prefix)
                .putInt(shard)
                .array();
    }

    static byte[] retention(String view) {
        return named('r', view);
    }

    static byte[] alias(String name) {
        return named('a', name);
    }

    private static byte[] named(char kind, String name) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(1 + text.length).put((byte) kind).put(text).array();
    }

    /** Its own inverse. */
    static long sortable(long number) {
        return number ^ Long.MIN_VALUE;
    }

    private static byte[] viewPrefix(String view) {
        byte[] name = view.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(name.length + 1).put(name).array();
    }
}
