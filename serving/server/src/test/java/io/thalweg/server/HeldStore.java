package io.thalweg.server;

import static io.thalweg.server.ServerFixture.T;

import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.Coverage;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.ReadRows;
import io.thalweg.store.StoreKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A store whose reads wait until they are released, and then take some time. */
public final class HeldStore implements OnlineStore {
    final CountDownLatch entered = new CountDownLatch(1);
    public final CountDownLatch release = new CountDownLatch(1);
    volatile @Nullable RuntimeException failure;
    public volatile long readNanos;
    /** By the position of the key. */
    public volatile Map<Integer, String> unreadable = Map.of();

    @Override
    public ReadRows read(FeatureView view, List<StoreKey> keys) {
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
        return new ReadRows(
                watermark(view.qualifiedName()), new ArrayList<>(Collections.nCopies(keys.size(), null)), unreadable);
    }

    @Override
    public ReadRows readAsOf(FeatureView view, List<StoreKey> keys, long asOfMs) {
        return read(view, keys);
    }

    @Override
    public ReadRows readHistory(FeatureView view, StoreKey key, long[] endsMs) {
        return read(view, Collections.nCopies(endsMs.length, key));
    }

    @Override
    public List<Coverage> coverage(FeatureView view) {
        return List.of();
    }

    @Override
    public OptionalLong watermark(String view) {
        return OptionalLong.of(T);
    }

    @Override
    public Optional<String> alias(String name) {
        return Optional.empty();
    }

    @Override
    public void setAlias(String name, String view) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void write(FeatureView view, List<? extends RowBlock> blocks) {}

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
