package io.thalweg.store.redis;

import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCodec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.ExampleKeys;
import io.thalweg.store.ReadRows;
import io.thalweg.store.Retention;
import io.thalweg.store.RowReader;
import io.thalweg.store.StoreKey;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Writes and reads the rows of one view in their layout in Redis.
 *
 * <p><b>Threads.</b> One: created per call, from an {@link Access} that is created once per view.
 */
interface RedisRows {
    /** Calls in flight at once. */
    int IN_FLIGHT = 128;

    /**
     * The context of a layout.
     *
     * @param expiredRows counts rows that are not written
     */
    record Access(
            RedisLink link,
            String project,
            Clock clock,
            LongAdder expiredRows,
            FeatureView view,
            RedisKeys names,
            RowCodec codec) {
        static Access of(RedisLink link, String project, Clock clock, LongAdder expiredRows, FeatureView view) {
            return new Access(link, project, clock, expiredRows, view, new RedisKeys(project, view), RowCodec.of(view));
        }

        RowReader reader(int keys) {
            return new RowReader(view, codec, keys, oldestMs());
        }

        /** Rows of an earlier window end have expired, epoch ms. */
        long oldestMs() {
            return Retention.of(view).oldestMs(clock.millis());
        }

        Expiry expiry() {
            return Expiry.of(view, clock.millis(), expiredRows);
        }

        Calls calls() {
            return new Calls(link, "writing rows of " + view.qualifiedName(), IN_FLIGHT);
        }

        Pipeline pipeline() {
            return new Pipeline(link, "reading rows of " + view.qualifiedName());
        }

        /** The key of the view's progress. */
        byte[] progressKey() {
            return RedisKeys.progress(project, view.qualifiedName());
        }
    }

    /** Returns the rows of a view. */
    static RedisRows of(Access access) {
        FeatureView view = access.view();
        if (view.online().layout().isFeast()) {
            return new FeastHashes(access);
        }
        return view.isKeyed() ? new KeyValues(access) : new NeighbourHashes(access);
    }

    /** As {@link io.thalweg.store.OnlineStore#write}. */
    void write(List<? extends RowBlock> blocks);

    /** As {@link io.thalweg.store.OnlineStore#read}. */
    ReadRows read(List<StoreKey> keys);

    /** As {@link io.thalweg.store.OnlineStore#readAsOf}. */
    ReadRows readAsOf(List<StoreKey> keys, long asOfMs);

    /** Hands over the keys of a keyed view until there are enough; layouts that do not list keys hand over none. */
    default void list(ExampleKeys keys) {}

    /** As {@link io.thalweg.store.OnlineStore#readHistory}; layouts of views without cells throw IllegalArgumentException. */
    default ReadRows readHistory(StoreKey key, long[] endsMs) {
        throw new IllegalArgumentException("only rows of cells have a history by window end");
    }
}
