package io.thalweg.store.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.thalweg.model.FeatureView;
import io.thalweg.model.KeyCodec;
import io.thalweg.model.KeyedRowBlock;
import io.thalweg.model.PackedKeyedRows;
import io.thalweg.model.PackedRows;
import io.thalweg.model.Progress;
import io.thalweg.model.RowBlock;
import io.thalweg.model.StoredRow;
import io.thalweg.store.NewestRows;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.Retention;
import io.thalweg.store.StoreException;
import io.thalweg.store.StoreKey;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store in a Redis server or a Redis Cluster, which any number of processes may share.
 *
 * <p><b>Order rule.</b> A Lua script compares and writes on the server, so it holds whoever else writes.
 *
 * <p><b>Expiry.</b> By this store's clock: the server is told for how long a key is to live, not until when, and for a minute
 * more than the rows need, so a clock that runs otherwise (a simulated one, one that is wrong) changes nothing.
 *
 * <p><b>Away.</b> Reads fail at once while a server is away, those of a cluster within 2 s; writes wait for it up to {@value #PATIENCE_SECONDS} s, and hold
 * back their caller meanwhile. Nothing is lost that the server did not lose.
 *
 * <p><b>Durability.</b> What a write returned from survives as the server is set up for it (replicas, {@code appendfsync});
 * {@link #flush} adds nothing.
 *
 * <p><b>Threads.</b> Safe. Each thread that writes has at most {@value #IN_FLIGHT} calls of 49 rows on their way, of keyed views of
 * {@value #CALL_ROWS}.
 */
public final class RedisOnlineStore implements OnlineStore {
    private static final Logger LOG = LoggerFactory.getLogger(RedisOnlineStore.class);
    private static final int PATIENCE_SECONDS = 20;
    private static final int WRITERS = 4;
    static final int IN_FLIGHT = 128;
    /** Of a keyed view in one call, during which the server does nothing else: some tenths of a millisecond. */
    private static final int CALL_ROWS = 100;

    /** Of a key in one turn of a read as of a time. */
    private static final int MOST_ENDS = 64 * RedisKeys.SPAN;

    private final RedisLink link;
    private final String project;
    private final Clock clock;
    private final LongAdder expiredRows = new LongAdder();
    private final Set<String> unreadable = ConcurrentHashMap.newKeySet();
    /** Views whose layout is Feast's are written and read by this. */
    private final FeastStore feast;

    private volatile boolean closed;

    private RedisOnlineStore(RedisLink link, String project, Clock clock) {
        this.link = link;
        this.project = project;
        this.clock = clock;
        this.feast = new FeastStore(link, project, clock, expiredRows);
    }

    /**
     * Connects to a store.
     *
     * @param uri {@code redis://[[user:]password@]host[:port][/database]}, {@code rediss} for TLS; of a cluster any of its nodes
     * @param project what all keys begin with
     * @param clock decides what has expired
     * @throws StoreException if the server cannot be reached or refuses; the message names the address, never the password
     */
    public static RedisOnlineStore open(URI uri, String project, Clock clock) {
        return open(uri, project, clock, Duration.ofSeconds(PATIENCE_SECONDS));
    }

    static RedisOnlineStore open(URI uri, String project, Clock clock, Duration patience) {
        return new RedisOnlineStore(new RedisLink(uri, patience, WRITERS), project, clock);
    }

    @Override
    public void write(FeatureView view, List<RowBlock> blocks) {
        String doing = "writing rows of " + view.qualifiedName();
        requireOpen(doing);
        if (view.online().layout().isFeast()) {
            feast.write(view, blocks);
            return;
        }
        Writing writing = new Writing(view, doing);
        PackedRows codec = new PackedRows(view);
        blocks.forEach(block -> writing.write(block, codec));
        writing.settle();
    }

    @Override
    public void writeKeyed(FeatureView view, List<KeyedRowBlock> blocks) {
        String doing = "writing rows of " + view.qualifiedName();
        requireOpen(doing);
        if (view.online().layout().isFeast()) {
            feast.writeKeyed(view, blocks);
            return;
        }
        blocks.forEach(block -> requireView(view, block.view()));
        Writing writing = new Writing(view, doing);
        PackedKeyedRows codec = new PackedKeyedRows(view);
        KeyCodec keys = new KeyCodec(view);
        blocks.forEach(block -> writing.write(block, keys, codec));
        writing.settle();
    }

    static void requireView(FeatureView view, String blocks) {
        if (!blocks.equals(view.qualifiedName())) {
            throw new IllegalArgumentException(
                    "a block of view '" + blocks + "' cannot be written as view '" + view.qualifiedName() + "'");
        }
    }

    @Override
    public void writeProgress(Progress record) {
        if (record.shard() < 0 || record.shard() >= record.shards()) {
            throw new IllegalArgumentException("progress.shard must be from 0 to shards - 1, was " + record);
        }
        byte[] key = RedisKeys.progress(project, record.view());
        byte[][] arguments = {number(record.shard()), number(record.shards()), number(record.windowEndMs())};
        String doing = "writing progress of " + record.view();
        requireOpen(doing);
        Calls calls = new Calls(link, doing, 1);
        calls.send(Script.WRITE_PROGRESS, new byte[][] {key}, arguments);
        calls.settle();
    }

    @Override
    public void flush() {
        requireOpen("flushing");
    }

    @Override
    public NewestRows<StoredRow> read(FeatureView view, List<StoreKey> keys) {
        if (view.online().layout().isFeast()) {
            requireOpen("reading rows of " + view.qualifiedName());
            return feast.read(view, keys);
        }
        Reading reading = new Reading(view);
        reading.askWatermark();
        List<@Nullable StoredRow> rows = read(reading, keys, RedisKeys::newest);
        return new NewestRows<>(reading.asked.watermarkMs(), rows);
    }

    @Override
    public List<@Nullable StoredRow> readAsOf(FeatureView view, List<StoreKey> keys, long asOfMs) {
        Retention.requireHistory(view);
        long endMs = view.windows().lastEndMs(asOfMs);
        return read(new Reading(view), keys, (names, parent, group) -> names.history(endMs, parent, group));
    }

    private List<@Nullable StoredRow> read(Reading reading, List<StoreKey> keys, HashKey hashKey) {
        RedisKeys names = reading.names;
        Map<StoreKey, List<Integer>> hashes = new LinkedHashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            StoreKey key = keys.get(i);
            hashes.computeIfAbsent(new StoreKey(names.parent(key.cell()), key.group()), hash -> new ArrayList<>())
                    .add(i);
        }
        hashes.forEach((hash, indexes) -> reading.asked.hmget(
                hashKey.of(names, hash.cell(), names.group(hash.group())),
                indexes.stream().map(i -> names.field(keys.get(i).cell())).toList()));
        reading.asked.send();
        PackedRows codec = new PackedRows(reading.view);
        List<@Nullable StoredRow> rows = Arrays.asList(new @Nullable StoredRow[keys.size()]);
        hashes.values().forEach(indexes -> {
            List<byte @Nullable []> values = reading.asked.next();
            for (int i = 0; i < indexes.size(); i++) {
                rows.set(indexes.get(i), reading.row(values.get(i), codec::decodeRow, StoredRow::windowEndMs));
            }
        });
        return rows;
    }

    @Override
    public NewestRows<PackedKeyedRows.Row> readKeyed(FeatureView view, List<StoreKey> keys) {
        if (view.online().layout().isFeast()) {
            requireOpen("reading rows of " + view.qualifiedName());
            return feast.readKeyed(view, keys);
        }
        Reading reading = new Reading(view);
        reading.askWatermark();
        List<byte[]> names = keys.stream()
                .map(key -> reading.names.newest(reading.names.group(key.group())))
                .toList();
        int atOnce = link.inOrder() ? Math.max(1, names.size()) : 1;
        for (int from = 0; from < names.size(); from += atOnce) {
            reading.asked.mget(names.subList(from, from + atOnce));
        }
        reading.asked.send();
        PackedKeyedRows codec = new PackedKeyedRows(view);
        List<PackedKeyedRows.@Nullable Row> rows = new ArrayList<>(keys.size());
        while (rows.size() < keys.size()) {
            reading.asked.next().forEach(value -> rows.add(reading.keyedRow(value, codec)));
        }
        return new NewestRows<>(reading.asked.watermarkMs(), rows);
    }

    /** Walks back from the time asked for, by twice as many window ends each time: most keys have a row near it. */
    @Override
    public List<PackedKeyedRows.@Nullable Row> readKeyedAsOf(FeatureView view, List<StoreKey> keys, long asOfMs) {
        Retention.requireHistory(view);
        Reading reading = new Reading(view);
        RedisKeys names = reading.names;
        PackedKeyedRows codec = new PackedKeyedRows(view);
        List<byte[]> encoded =
                keys.stream().map(key -> names.group(key.group())).toList();
        List<PackedKeyedRows.@Nullable Row> rows = Arrays.asList(new PackedKeyedRows.@Nullable Row[keys.size()]);
        List<Integer> open = IntStream.range(0, keys.size()).boxed().toList();
        long everyMs = view.windows().every().millis();
        long firstMs = Math.max(asOfMs - view.online().ttl().millis(), reading.oldestMs);
        long end = view.windows().lastEndMs(asOfMs);
        for (int ends = RedisKeys.SPAN; end >= firstMs && !open.isEmpty(); ends = Math.min(2 * ends, MOST_ENDS)) {
            Map<Long, List<byte[]>> spans = new LinkedHashMap<>();
            for (int i = 0; i < ends && end >= firstMs; i++, end -= everyMs) {
                spans.computeIfAbsent(names.span(end), span -> new ArrayList<>())
                        .add(RedisKeys.historyField(end));
            }
            for (int i : open) {
                spans.forEach((span, fields) -> reading.asked.hmget(names.history(span, encoded.get(i)), fields));
            }
            reading.asked.send();
            List<Integer> missing = new ArrayList<>();
            for (int i : open) {
                List<byte @Nullable []> values = new ArrayList<>();
                spans.keySet().forEach(span -> values.addAll(reading.asked.next()));
                rows.set(i, reading.newest(values, codec));
                if (rows.get(i) == null) {
                    missing.add(i);
                }
            }
            open = missing;
        }
        return rows;
    }

    @Override
    public OptionalLong watermark(String view) {
        String doing = "reading progress of " + view;
        requireOpen(doing);
        Pipeline asked = new Pipeline(link, doing);
        asked.watermark(RedisKeys.progress(project, view));
        asked.send();
        return asked.watermarkMs();
    }

    @Override
    public long expiredRows() {
        return expiredRows.sum();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            link.close();
        }
    }

    private void requireOpen(String doing) {
        if (closed) {
            throw new StoreException("the store " + link.place() + " is closed, it cannot go on " + doing);
        }
    }

    private static byte[] number(long number) {
        return ascii(Long.toString(number));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(US_ASCII);
    }

    private interface HashKey {
        byte[] of(RedisKeys names, long parent, byte[] group);
    }

    /** One call of {@link #write} or {@link #writeKeyed}: a script call per hash or lane, many on their way, each reply read. */
    private final class Writing {
        private final RedisKeys names;
        private final boolean history;
        private final Expiry expiry;
        private final Calls calls;
        /** Of a keyed view. */
        private final LaneCalls newest;

        Writing(FeatureView view, String doing) {
            this.names = new RedisKeys(project, view);
            this.history = Retention.of(view).keepsHistory();
            this.expiry = Expiry.of(view, clock.millis(), expiredRows);
            this.calls = new Calls(link, doing, IN_FLIGHT);
            this.newest = new LaneCalls(link, calls, Script.WRITE_KEYS, CALL_ROWS, List.of(expiry.since()));
        }

        private void write(RowBlock block, PackedRows codec) {
            if (expiry.isOver(block.windowEndMs(), block.rows())) {
                return;
            }
            byte[] group = names.group(block.group());
            for (int from = 0, to; from < block.rows() && !calls.failed(); from = to) {
                to = names.end(block.cells(), from);
                long parent = names.parent(block.cells()[from]);
                byte[][] arguments = arguments(block.windowEndMs(), to - from);
                for (int row = from, at = 2; row < to; row++) {
                    arguments[at++] = names.field(block.cells()[row]);
                    arguments[at++] = codec.encodeRow(block, row);
                }
                send(names.newest(parent, group), arguments);
                if (history) {
                    send(names.history(block.windowEndMs(), parent, group), arguments);
                }
            }
        }

        private void write(KeyedRowBlock block, KeyCodec keys, PackedKeyedRows codec) {
            if (expiry.isOver(block.windowEndMs(), block.rows())) {
                return;
            }
            byte[] lives = expiry.lives(block.windowEndMs());
            for (int row = 0; row < block.rows() && !calls.failed(); row++) {
                byte[] key = block.keyBytes(keys, row);
                byte[] encoded = codec.encodeRow(block, row);
                newest.add(names.newest(key), List.of(lives, encoded));
                if (history) {
                    byte[][] arguments = arguments(block.windowEndMs(), 1);
                    arguments[2] = RedisKeys.historyField(block.windowEndMs());
                    arguments[3] = encoded;
                    send(names.history(block.windowEndMs(), key), arguments);
                }
            }
        }

        /** With room for so many fields and rows. */
        private byte[][] arguments(long windowEndMs, int rows) {
            byte[][] arguments = new byte[2 + 2 * rows][];
            arguments[0] = expiry.lives(windowEndMs);
            arguments[1] = expiry.oldest();
            return arguments;
        }

        private void send(byte[] hash, byte[][] arguments) {
            calls.send(Script.WRITE_ROWS, new byte[][] {hash}, arguments);
        }

        void settle() {
            newest.send();
            calls.settle();
        }
    }

    /** One call of a method that reads. */
    private final class Reading {
        private final FeatureView view;
        private final RedisKeys names;
        private final long oldestMs;
        private final Pipeline asked;

        Reading(FeatureView view) {
            String doing = "reading rows of " + view.qualifiedName();
            requireOpen(doing);
            this.view = view;
            this.names = new RedisKeys(project, view);
            this.oldestMs = Retention.of(view).oldestMs(clock.millis());
            this.asked = new Pipeline(link, doing);
        }

        void askWatermark() {
            asked.watermark(RedisKeys.progress(project, view.qualifiedName()));
        }

        PackedKeyedRows.@Nullable Row keyedRow(byte @Nullable [] value, PackedKeyedRows codec) {
            return row(value, codec::decodeRow, PackedKeyedRows.Row::windowEndMs);
        }

        /** The first row that there is. */
        PackedKeyedRows.@Nullable Row newest(List<byte @Nullable []> values, PackedKeyedRows codec) {
            for (byte[] value : values) {
                PackedKeyedRows.Row row = keyedRow(value, codec);
                if (row != null) {
                    return row;
                }
            }
            return null;
        }

        /** A view may lose features and keep its name; what was written before is then of no use to a reader. */
        <R> @Nullable R row(byte @Nullable [] value, Function<byte[], R> decode, ToLongFunction<R> endMs) {
            if (value == null) {
                return null;
            }
            try {
                R row = decode.apply(value);
                return endMs.applyAsLong(row) < oldestMs ? null : row;
            } catch (IllegalArgumentException e) {
                if (unreadable.add(view.qualifiedName())) {
                    LOG.warn(
                            "rows of view {} written under another definition are read as absent: {}",
                            view.qualifiedName(),
                            e.getMessage());
                }
                return null;
            }
        }
    }
}
