package io.thalweg.server;

import static io.thalweg.server.ServerFixture.T;

import io.thalweg.model.FeatureView;
import io.thalweg.model.KeyedRowBlock;
import io.thalweg.model.PackedKeyedRows;
import io.thalweg.model.Progress;
import io.thalweg.model.RowBlock;
import io.thalweg.model.StoredRow;
import io.thalweg.store.NewestRows;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A store whose reads wait until they are let go, and then take their time. */
final class HeldStore implements OnlineStore {
    final CountDownLatch entered = new CountDownLatch(1);
    final CountDownLatch release = new CountDownLatch(1);
    volatile @Nullable RuntimeException failure;
    volatile long readNanos;

    @Override
    public NewestRows<StoredRow> read(FeatureView view, List<StoreKey> keys) {
        entered.countDown();
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        long end = System.nanoTime() + readNanos;
        while (System.nanoTime() - end < 0) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
        RuntimeException thrown = failure;
        if (thrown != null) {
            throw thrown;
        }
        return new NewestRows<>(
                watermark(view.qualifiedName()), new ArrayList<>(Collections.nCopies(keys.size(), null)));
    }

    @Override
    public List<@Nullable StoredRow> readAsOf(FeatureView view, List<StoreKey> keys, long asOfMs) {
        return read(view, keys).rows();
    }

    @Override
    public OptionalLong watermark(String view) {
        return OptionalLong.of(T);
    }

    @Override
    public void write(FeatureView view, List<RowBlock> blocks) {}

    @Override
    public void writeKeyed(FeatureView view, List<KeyedRowBlock> blocks) {}

    @Override
    public NewestRows<PackedKeyedRows.Row> readKeyed(FeatureView view, List<StoreKey> keys) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<PackedKeyedRows.@Nullable Row> readKeyedAsOf(FeatureView view, List<StoreKey> keys, long asOfMs) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void writeProgress(Progress progress) {}

    @Override
    public void flush() {}

    @Override
    public long expiredRows() {
        return 0;
    }

    @Override
    public void close() {}
}
