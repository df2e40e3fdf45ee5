package io.thalweg.store.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.thalweg.model.FeatureView;
import io.thalweg.model.Finality;
import io.thalweg.model.KeyCodec;
import io.thalweg.model.KeyedRowBlock;
import io.thalweg.model.PackedKeyedRows;
import io.thalweg.model.RowBlock;
import io.thalweg.model.RowValues;
import io.thalweg.model.StoredRow;
import io.thalweg.store.NewestRows;
import io.thalweg.store.Retention;
import io.thalweg.store.StoreException;
import io.thalweg.store.StoreKey;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rows of views whose layout is one of Feast's: one hash per entity, which all views of the same join keys share, written
 * under the order rule of all stores and read back as Thalweg's own.
 *
 * <p><b>Expiry.</b> A hash lives as long as the row in it that lives longest; a row that has expired beside one that has not is
 * no longer answered here, but Feast's clients see it: they judge by their own {@code ttl}.
 *
 * <p><b>Threads.</b> Safe. Each thread that writes has at most {@value RedisOnlineStore#IN_FLIGHT} calls on their way, each of
 * {@value #CALL_ROWS} rows or some {@value #CALL_VALUES} values.
 */
final class FeastStore {
    private static final Logger LOG = LoggerFactory.getLogger(FeastStore.class);
    /** In one call, during which the server does nothing else. */
    private static final int CALL_ROWS = 100;

    private static final int CALL_VALUES = 1_000;

    private final RedisLink link;
    private final String project;
    private final Clock clock;
    private final LongAdder expiredRows;
    private final Set<String> unreadable = ConcurrentHashMap.newKeySet();

    /**
     * Another face of a store.
     *
     * @param expiredRows counts those that are not written
     */
    FeastStore(RedisLink link, String project, Clock clock, LongAdder expiredRows) {
        this.link = link;
        this.project = project;
        this.clock = clock;
        this.expiredRows = expiredRows;
    }

    void write(FeatureView view, List<RowBlock> blocks) {
        blocks.forEach(block -> RedisOnlineStore.requireView(view, block.view()));
        Writing writing = new Writing(view);
        blocks.forEach(writing::write);
        writing.settle();
    }

    void writeKeyed(FeatureView view, List<KeyedRowBlock> blocks) {
        blocks.forEach(block -> RedisOnlineStore.requireView(view, block.view()));
        Writing writing = new Writing(view);
        KeyCodec keys = new KeyCodec(view);
        PackedKeyedRows codec = new PackedKeyedRows(view);
        blocks.forEach(block -> writing.write(block, keys, codec));
        writing.settle();
    }

    NewestRows<StoredRow> read(FeatureView view, List<StoreKey> keys) {
        FeastRow fields = new FeastRow(view);
        return read(view, keys, fields, fields::withRings);
    }

    NewestRows<PackedKeyedRows.Row> readKeyed(FeatureView view, List<StoreKey> keys) {
        FeastRow fields = new FeastRow(view);
        return read(view, keys, fields, fields::keyed);
    }

    private <R> NewestRows<R> read(
            FeatureView view,
            List<StoreKey> keys,
            FeastRow fields,
            BiFunction<FeastOrder, List<byte @Nullable []>, R> decode) {
        String doing = "reading rows of " + view.qualifiedName();
        FeastKeys names = new FeastKeys(project, view);
        long oldestMs = Retention.of(view).oldestMs(clock.millis());
        Pipeline asked = new Pipeline(link, doing);
        asked.watermark(RedisKeys.progress(project, view.qualifiedName()));
        keys.forEach(key -> asked.hmget(names.key(key.cell(), key.group()), fields.fields()));
        asked.send();
        List<@Nullable R> rows = new ArrayList<>(keys.size());
        keys.forEach(key -> rows.add(row(view, asked.next(), fields, decode, oldestMs)));
        return new NewestRows<>(asked.watermarkMs(), rows);
    }

    /** A view may change its features and keep its name; what was written before is then of no use to a reader. */
    private <R> @Nullable R row(
            FeatureView view,
            List<byte @Nullable []> values,
            FeastRow fields,
            BiFunction<FeastOrder, List<byte @Nullable []>, R> decode,
            long oldestMs) {
        try {
            FeastOrder order = fields.order(values);
            return order == null || order.windowEndMs() < oldestMs ? null : decode.apply(order, values);
        } catch (IllegalArgumentException e) {
            if (unreadable.add(view.qualifiedName())) {
                LOG.warn("rows of view {} are read as absent: {}", view.qualifiedName(), e.getMessage());
            }
            return null;
        }
    }

    /** One call of {@link #write} or {@link #writeKeyed}: a script call for many rows, many on their way, each reply read. */
    private final class Writing {
        private final FeatureView view;
        private final FeastKeys names;
        private final FeastRow fields;
        private final Expiry expiry;
        private final Calls calls;
        private final LaneCalls rows;

        Writing(FeatureView view) {
            this.view = view;
            this.names = new FeastKeys(project, view);
            this.fields = new FeastRow(view);
            this.expiry = Expiry.of(view, clock.millis(), expiredRows);
            this.calls = new Calls(link, "writing rows of " + view.qualifiedName(), RedisOnlineStore.IN_FLIGHT);
            List<byte[]> begin = new ArrayList<>(fields.fields());
            int most = Math.max(1, Math.min(CALL_ROWS, CALL_VALUES / begin.size()));
            begin.add(0, Integer.toString(begin.size()).getBytes(US_ASCII));
            this.rows = new LaneCalls(link, calls, Script.WRITE_FEAST, most, begin);
        }

        private void write(RowBlock block) {
            if (expiry.isOver(block.windowEndMs(), block.rows())) {
                return;
            }
            long[] sums = block.sums();
            int[] sizes = block.diskSizes();
            int features = view.rings().size() * view.windows().sizes().size();
            int rings = view.rings().size();
            for (int row = 0; row < block.rows() && !calls.failed(); row++) {
                int[] rowSizes = sizes == null ? null : Arrays.copyOfRange(sizes, row * rings, (row + 1) * rings);
                double[] values =
                        RowValues.of(view, Arrays.copyOfRange(sums, row * features, (row + 1) * features), rowSizes);
                add(
                        names.key(block.cells()[row], block.group()),
                        block.windowEndMs(),
                        block.finality(),
                        0,
                        rowSizes,
                        DoubleStream.of(values).boxed().toList());
            }
        }

        private void write(KeyedRowBlock block, KeyCodec keys, PackedKeyedRows codec) {
            if (expiry.isOver(block.windowEndMs(), block.rows())) {
                return;
            }
            for (int row = 0; row < block.rows() && !calls.failed(); row++) {
                add(
                        names.key(0, block.key(keys, row)),
                        block.windowEndMs(),
                        block.finality(),
                        block.sequence(),
                        null,
                        codec.values(block, row));
            }
        }

        private void add(
                byte[] key,
                long windowEndMs,
                Finality finality,
                long sequence,
                int @Nullable [] diskSizes,
                List<? extends @Nullable Object> values) {
            try {
                List<byte[]> arguments = fields.encode(windowEndMs, finality, sequence, diskSizes, values);
                arguments.add(0, expiry.lives(windowEndMs));
                rows.add(key, arguments);
            } catch (StoreException e) { // a value that Feast has no type for
                calls.fail(e);
            }
        }

        void settle() {
            rows.send();
            calls.settle();
        }
    }
}
