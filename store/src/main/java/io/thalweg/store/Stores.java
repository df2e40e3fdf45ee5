package io.thalweg.store;

import io.thalweg.model.FeatureView;
import io.thalweg.model.KeyedRowBlock;
import io.thalweg.model.PackedKeyedRows;
import io.thalweg.model.Progress;
import io.thalweg.model.RowBlock;
import io.thalweg.model.StoredRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The embedded stores open in this process. A RocksDB folder can be open once only, but a job's sink tasks and the server
 * beside them all need it: they share one, which closes with its last user.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class Stores {
    private static final Map<Path, Shared> OPEN = new HashMap<>();

    private Stores() {}

    /**
     * Opens the store in a folder or joins those who have it open; each result must be closed once by its user.
     *
     * @param clock decides what has expired; the one of the first to open counts
     * @throws StoreException as {@link RocksDbOnlineStore#open}
     */
    public static OnlineStore open(Path path, Clock clock) {
        synchronized (OPEN) {
            Shared shared = OPEN.get(canonical(path));
            if (shared == null) {
                RocksDbOnlineStore store = RocksDbOnlineStore.open(path, clock);
                shared = new Shared(canonical(path), store);
                OPEN.put(shared.path, shared);
            }
            shared.users++;
            return new Handle(shared);
        }
    }

    /** One folder, one name: links and dots resolved as far as the path exists. */
    private static Path canonical(Path path) {
        try {
            return Files.exists(path)
                    ? path.toRealPath()
                    : path.toAbsolutePath().normalize();
        } catch (IOException e) {
            throw new StoreException("store.path '" + path + "' cannot be resolved: " + e, e);
        }
    }

    private static final class Shared {
        private final Path path;
        private final RocksDbOnlineStore store;
        private int users;

        Shared(Path path, RocksDbOnlineStore store) {
            this.path = path;
            this.store = store;
        }
    }

    private static final class Handle implements OnlineStore {
        private final Shared shared;
        private volatile boolean closed;

        Handle(Shared shared) {
            this.shared = shared;
        }

        private OnlineStore store() {
            if (closed) {
                throw new StoreException("the store '" + shared.path + "' was closed by this user");
            }
            return shared.store;
        }

        @Override
        public void write(FeatureView view, List<RowBlock> blocks) {
            store().write(view, blocks);
        }

        @Override
        public void writeKeyed(FeatureView view, List<KeyedRowBlock> blocks) {
            store().writeKeyed(view, blocks);
        }

        @Override
        public void writeProgress(Progress progress) {
            store().writeProgress(progress);
        }

        @Override
        public void flush() {
            store().flush();
        }

        @Override
        public List<@Nullable StoredRow> read(FeatureView view, List<StoreKey> keys) {
            return store().read(view, keys);
        }

        @Override
        public List<@Nullable StoredRow> readAsOf(FeatureView view, List<StoreKey> keys, long asOfMs) {
            return store().readAsOf(view, keys, asOfMs);
        }

        @Override
        public List<PackedKeyedRows.@Nullable Row> readKeyed(FeatureView view, List<StoreKey> keys) {
            return store().readKeyed(view, keys);
        }

        @Override
        public List<PackedKeyedRows.@Nullable Row> readKeyedAsOf(FeatureView view, List<StoreKey> keys, long asOfMs) {
            return store().readKeyedAsOf(view, keys, asOfMs);
        }

        @Override
        public OptionalLong watermark(String view) {
            return store().watermark(view);
        }

        @Override
        public long expiredRows() {
            return store().expiredRows();
        }

        @Override
        public void close() {
            synchronized (OPEN) {
                if (closed) {
                    return;
                }
                closed = true;
                if (--shared.users == 0) {
                    OPEN.remove(shared.path);
                    shared.store.close();
                }
            }
        }
    }
}
