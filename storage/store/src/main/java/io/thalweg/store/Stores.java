package io.thalweg.store;

import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * The stores open in this process, by name. A RocksDB folder can be opened only once, and connections are worth sharing: a
 * job's sink tasks and the server in the same process share one store, which closes with its last user.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class Stores {
    private static final Map<String, Shared> OPEN = new HashMap<>();

    private Stores() {}

    /**
     * Opens the embedded store in a folder, or shares it if it is already open. Each caller must close its result once.
     *
     * @param path its real path is the store's name
     * @param clock decides what has expired; the clock of the first caller counts
     * @throws StoreException as {@link RocksDbOnlineStore#open}
     */
    public static OnlineStore open(Path path, Clock clock) {
        return share(canonical(path), () -> RocksDbOnlineStore.open(path, clock));
    }

    /**
     * Shares a store that is already open, or opens the embedded store in the folder of that name.
     *
     * @param name as given to {@link #share}, or a folder
     * @param clock as above
     * @throws StoreException as {@link RocksDbOnlineStore#open}, and for an address that is not open
     */
    public static OnlineStore open(String name, Clock clock) {
        if (!name.contains("://")) {
            return open(Path.of(name), clock);
        }
        return share(name, () -> {
            throw new StoreException("the store " + name + " is not open in this process");
        });
    }

    /**
     * Opens a store, or shares the one already open under this name. Each caller must close its result once.
     *
     * @param name shown in messages: without secrets
     * @param opener called if the store is not open yet; its exceptions propagate
     */
    public static OnlineStore share(String name, Supplier<? extends OnlineStore> opener) {
        synchronized (OPEN) {
            Shared shared = OPEN.get(name);
            if (shared == null) {
                shared = new Shared(name, opener.get());
                OPEN.put(name, shared);
            }
            shared.users++;
            return new Handle(shared);
        }
    }

    /** Returns the same name for a folder before and after it exists: links and dots are resolved as far as the path exists. */
    private static String canonical(Path path) {
        try {
            if (Files.exists(path)) {
                return path.toRealPath().toString();
            }
            Path absolute = path.toAbsolutePath().normalize();
            Path there = absolute;
            while (there.getParent() != null && !Files.exists(there)) {
                there = there.getParent();
            }
            return there.toRealPath().resolve(there.relativize(absolute)).toString();
        } catch (IOException e) {
            throw new StoreException(
                    "store.path '" + path + "' cannot be resolved: " + e.getMessage() + "; name another path", e);
        }
    }

    private static final class Shared {
        private final String name;
        private final OnlineStore store;
        private int users;

        Shared(String name, OnlineStore store) {
            this.name = name;
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
                throw new StoreException("the store '" + shared.name + "' was closed by this user");
            }
            return shared.store;
        }

        @Override
        public void write(FeatureView view, List<? extends RowBlock> blocks) {
            store().write(view, blocks);
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
        public ReadRows read(FeatureView view, List<StoreKey> keys) {
            return store().read(view, keys);
        }

        @Override
        public ReadRows readAsOf(FeatureView view, List<StoreKey> keys, long asOfMs) {
            return store().readAsOf(view, keys, asOfMs);
        }

        @Override
        public ReadRows readHistory(FeatureView view, StoreKey key, long[] endsMs) {
            return store().readHistory(view, key, endsMs);
        }

        @Override
        public void scan(FeatureView view, long[] cells, List<Object> group, OptionalLong asOfMs, ScannedRows rows) {
            store().scan(view, cells, group, asOfMs, rows);
        }

        @Override
        public List<Coverage> coverage(FeatureView view) {
            return store().coverage(view);
        }

        @Override
        public List<Coverage> coverage(FeatureView view, long[] tiles) {
            return store().coverage(view, tiles);
        }

        @Override
        public OptionalLong watermark(String view) {
            return store().watermark(view);
        }

        @Override
        public Optional<String> alias(String name) {
            return store().alias(name);
        }

        @Override
        public void setAlias(String name, String view) {
            store().setAlias(name, view);
        }

        @Override
        public Path backup(String name) {
            return store().backup(name);
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
                    OPEN.remove(shared.name);
                    shared.store.close();
                }
            }
        }
    }
}
