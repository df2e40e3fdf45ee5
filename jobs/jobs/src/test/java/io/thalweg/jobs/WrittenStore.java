package io.thalweg.jobs;

import io.thalweg.model.view.FeatureView;
import io.thalweg.store.Coverage;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.ReadRows;
import io.thalweg.store.StoreKey;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A fake store for tests that only write. Its methods that read rows or set an alias fail. */
public abstract class WrittenStore implements OnlineStore {
    @Override
    public final ReadRows read(FeatureView view, List<StoreKey> keys) {
        throw onlyWritten();
    }

    @Override
    public final ReadRows readAsOf(FeatureView view, List<StoreKey> keys, long asOfMs) {
        throw onlyWritten();
    }

    @Override
    public final ReadRows readHistory(FeatureView view, StoreKey key, long[] endsMs) {
        throw onlyWritten();
    }

    @Override
    public final List<Coverage> coverage(FeatureView view) {
        return List.of();
    }

    @Override
    public final OptionalLong watermark(String view) {
        throw onlyWritten();
    }

    @Override
    public final Optional<String> alias(String name) {
        return Optional.empty();
    }

    @Override
    public final void setAlias(String name, String view) {
        throw onlyWritten();
    }

    @Override
    public final long expiredRows() {
        return 0;
    }

    @Override
    public final void close() {
        // Nothing is open.
    }

    private static UnsupportedOperationException onlyWritten() {
        return new UnsupportedOperationException("the test only writes to this store");
    }
}
