package io.thalweg.store.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.KeyValue;
import io.lettuce.core.MapScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A table that another application keeps in Redis, read as a whole: as keys such as {@code ad:{ad_id}}, each a string or a hash, or as
 * one hash from keys to strings.
 *
 * <p>As with any Redis scan, rows that exist during the whole read are returned, and rows that never exist during it are not; a row may
 * be returned twice.
 *
 * <p><b>Errors.</b> {@link StoreException} where the server is unreachable or refuses. <b>Threads.</b> One at a time.
 */
public final class RedisTable implements AutoCloseable {
    private static final int PAGE = 1_000;
    private static final String DOING = "reading a table";

    private final RedisLink link;
    private final String pattern;
    private final List<byte[]> fields;
    private final byte[] before;
    private final byte[] after;

    private RedisTable(RedisLink link, String pattern, List<String> fields) {
        int open = pattern.indexOf('{');
        int close = pattern.indexOf('}', open + 1);
        boolean keys = open >= 0 && close > 0;
        this.link = link;
        this.pattern = pattern;
        this.fields = fields.stream().map(field -> field.getBytes(UTF_8)).toList();
        this.before = (keys ? pattern.substring(0, open) : pattern).getBytes(UTF_8);
        this.after = (keys ? pattern.substring(close + 1) : "").getBytes(UTF_8);
    }

    /** Receives a row: its key, and a value for each field, null where there is none. */
    public interface Row {
        /** Adds a row; a failure ends the reading. */
        void add(byte[] key, List<byte @Nullable []> values) throws IOException;
    }

    /**
     * Connects to a server or cluster.
     *
     * @param server its name in {@code thalweg.yaml}
     * @param at its address and TLS
     * @param pattern {@code ad:{ad_id}} for keys, where the part in place of the braces is the row's key; without braces the key
     *   of a hash
     * @param fields of the hashes that the keys name; where values are strings only the first has one
     * @throws StoreException if the server cannot be reached or refuses
     */
    public static RedisTable open(String server, DeploymentConfig.RedisServer at, String pattern, List<String> fields) {
        RedisLink.Naming naming = RedisLink.Naming.lookups(server);
        return new RedisTable(new RedisLink(at, naming, Duration.ofSeconds(1), 0), pattern, fields);
    }

    /** Returns the location of the table, without secrets. */
    public String name() {
        return link.place() + " " + pattern;
    }

    /** Reads all rows. */
    public void read(Row rows) throws IOException {
        if (pattern.indexOf('{') < 0) {
            readHash(rows);
        } else {
            readKeys(rows);
        }
    }

    private void readHash(Row rows) throws IOException {
        ScanCursor at = ScanCursor.INITIAL;
        while (!at.isFinished()) {
            MapScanCursor<byte[], byte[]> page =
                    link.await(link.reader().hscan(before, at, ScanArgs.Builder.limit(PAGE)), DOING);
            for (Map.Entry<byte[], byte[]> entry : page.getMap().entrySet()) {
                rows.add(entry.getKey(), padded(entry.getValue()));
            }
            at = page;
        }
    }

    private void readKeys(Row rows) throws IOException {
        ScanArgs args = ScanArgs.Builder.limit(PAGE).match(glob(before) + "*" + glob(after));
        ScanCursor at = ScanCursor.INITIAL;
        while (!at.isFinished()) {
            KeyScanCursor<byte[]> page = link.await(link.reader().scan(at, args), DOING);
            readKeys(page.getKeys(), rows);
            at = page;
        }
    }

    private void readKeys(List<byte[]> keys, Row rows) throws IOException {
        List<CompletionStage<String>> types = new ArrayList<>();
        keys.forEach(key -> types.add(link.reader().type(key)));
        List<CompletionStage<? extends List<byte @Nullable []>>> values = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            values.add(values(keys.get(i), link.await(types.get(i), DOING)));
        }
        for (int i = 0; i < keys.size(); i++) {
            byte[] key = Arrays.copyOfRange(keys.get(i), before.length, keys.get(i).length - after.length);
            List<byte @Nullable []> row = link.await(values.get(i), DOING);
            if (!row.isEmpty()) {
                rows.add(key, row);
            }
        }
    }

    /** Returns no values for a key that was deleted meanwhile. */
    private CompletionStage<? extends List<byte @Nullable []>> values(byte[] key, String type) {
        return switch (type) {
            case "hash" ->
                link.reader().hmget(key, fields.toArray(byte[][]::new)).thenApply(RedisTable::values);
            case "none" -> CompletableFuture.completedStage(List.of());
            default -> link.reader().get(key).thenApply(value -> value == null ? List.of() : padded(value));
        };
    }

    private static List<byte @Nullable []> values(List<KeyValue<byte[], byte[]>> found) {
        List<byte @Nullable []> values = new ArrayList<>();
        found.forEach(each -> values.add(each.hasValue() ? each.getValue() : null));
        return values;
    }

    private List<byte @Nullable []> padded(byte[] value) {
        List<byte @Nullable []> values = new ArrayList<>(Collections.nCopies(fields.size(), null));
        values.set(0, value);
        return values;
    }

    /** Returns a pattern that matches only this text. */
    static String glob(byte[] literal) {
        return new String(literal, UTF_8).replaceAll("[\\\\*?\\[\\]^-]", "\\\\$0");
    }

    @Override
    public void close() {
        link.close();
    }
}
