package io.thalweg.store.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.thalweg.model.row.GroupCodec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.Neighbourhoods;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The keys and fields of a view's rows. The rows of one group whose cells share the ancestor two levels up, at most 49, share a
 * hash; a cell's field is its last two H3 digits. The rows of a keyed view have no neighbours in space: the newest is a value of
 * its own, and in history 49 window ends of a key share a hash.
 *
 * <pre>
 * newest   project:view:PARENT:group             cell -> row, newest -> begin of the greatest
 * history  project:view@window_end:PARENT:group  cell -> row
 * keyed    project:view:key:KEY                  row
 * history  project:view@span:key:KEY             window_end -> row
 * progress project:view:progress                 shards -> n, watermark -> ms, each shard -> window_end in ms
 * places   project:view:places                   tile and group by the window_end of their newest rows in ms
 * alias    project:name:alias                    the view that reads of a name get
 * </pre>
 *
 * <p>PARENT is the ancestor's index in lower-case hex, group and KEY the bytes of {@link GroupCodec}, span the first window end
 * that may be in the hash, the rest is decimal.
 *
 * <p><b>Threads.</b> Immutable.
 */
final class RedisKeys {
    /** Window ends of a key that share a hash. */
    static final int SPAN = 49;

    /** Integers up to two digits, which Redis stores in a byte. */
    private static final byte[][] FIELDS = new byte[78][];

    static {
        for (int digits = 0; digits < FIELDS.length; digits++) {
            FIELDS[digits] = String.valueOf(digits).getBytes(US_ASCII);
        }
    }

    private final String name;
    private final GroupCodec groups;
    private final Neighbourhoods neighbourhoods;
    private final long spanMs;

    RedisKeys(String project, FeatureView view) {
        name = project + ":" + view.qualifiedName();
        groups = new GroupCodec(view.group());
        neighbourhoods = new Neighbourhoods(view);
        spanMs = SPAN * view.clock().everyMs();
    }

    /**
     * Returns the key of a view's progress.
     *
     * @param view qualified name
     */
    static byte[] progress(String project, String view) {
        return (project + ":" + view + ":progress").getBytes(UTF_8);
    }

    /** Returns the key of the places that contain rows of a view. */
    static byte[] places(String project, String view) {
        return (project + ":" + view + ":places").getBytes(UTF_8);
    }

    /** Returns the key of the version to which reads of a name resolve. */
    static byte[] alias(String project, String name) {
        return (project + ":" + name + ":alias").getBytes(UTF_8);
    }

    byte[] group(List<Object> group) {
        return groups.encode(group);
    }

    /** The ancestor (H3 index) that names a cell's hash. */
    long parent(long cell) {
        return neighbourhoods.parent(cell);
    }

    /** Returns the index after the last of the cells, which ascend, that share the parent of the one at {@code from}. */
    int end(long[] cells, int from) {
        return neighbourhoods.end(cells, from);
    }

    byte[] field(long cell) {
        return FIELDS[neighbourhoods.digits(cell)];
    }

    byte[] newest(long parent, byte[] group) {
        return key(name, parent, group);
    }

    byte[] history(long windowEndMs, long parent, byte[] group) {
        return key(name + "@" + windowEndMs, parent, group);
    }

    private static byte[] key(String before, long parent, byte[] group) {
        return key(before + ":" + Long.toHexString(parent) + ":", group);
    }

    private static byte[] key(String before, byte[] after) {
        byte[] text = before.getBytes(UTF_8);
        return ByteBuffer.allocate(text.length + after.length)
                .put(text)
                .put(after)
                .array();
    }

    // Keys and fields of keyed views.

    byte[] newest(byte[] key) {
        return key(name + ":key:", key);
    }

    /** Returns the first of the window ends that share a hash with this one. */
    long span(long windowEndMs) {
        return Math.floorDiv(windowEndMs, spanMs) * spanMs;
    }

    byte[] history(long windowEndMs, byte[] key) {
        return key(name + "@" + span(windowEndMs) + ":key:", key);
    }

    static byte[] historyField(long windowEndMs) {
        return Long.toString(windowEndMs).getBytes(US_ASCII);
    }
}
