package io.thalweg.store;

import io.thalweg.model.row.Progress;
import io.thalweg.model.view.FeatureView;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * The metadata of the views in a RocksDB folder: their retention, the progress of their shards, and the version to
 * which reads of a name resolve. Kept in memory and on disk.
 *
 * <p><b>Threads.</b> Safe.
 */
final class RocksMeta {
    private final RocksFolder folder;
    private final Map<String, Retention> retentions = new ConcurrentHashMap<>();
    private final Map<String, ProgressBook> progress = new ConcurrentHashMap<>();
    private final Map<String, String> aliases = new ConcurrentHashMap<>();

    private RocksMeta(RocksFolder folder) {
        this.folder = folder;
    }

    /** Loads the metadata from the folder. */
    static RocksMeta load(RocksFolder folder) {
        RocksMeta meta = new RocksMeta(folder);
        try (RocksIterator entries = folder.db().newIterator(folder.meta())) {
            for (entries.seekToFirst(); entries.isValid(); entries.next()) {
                byte[] key = entries.key();
                switch (key[0]) {
                    case 'r' -> meta.retentions.put(text(key, key.length), Retention.decode(entries.value()));
                    case 'p' -> meta.loadProgress(key, entries.value());
                    case 'a' ->
                        meta.aliases.put(text(key, key.length), new String(entries.value(), StandardCharsets.UTF_8));
                    default -> {} // the format, checked when the folder was opened
                }
            }
        }
        return meta;
    }

    private void loadProgress(byte[] key, byte[] value) {
        int shardAt = key.length - Integer.BYTES;
        int shard = ByteBuffer.wrap(key).getInt(shardAt);
        ByteBuffer in = ByteBuffer.wrap(value);
        int shards = in.getInt();
        String view = text(key, shardAt - 1);
        progress.computeIfAbsent(view, name -> new ProgressBook(shards))
                .record(new Progress(view, shard, shards, in.getLong()));
    }

    private static String text(byte[] key, int end) {
        return new String(key, 1, end - 1, StandardCharsets.UTF_8);
    }

    /** By qualified name. */
    Map<String, Retention> retentions() {
        return retentions;
    }

    /** Persists the retention, because expiry must continue for views that are no longer written, even after a restart. */
    Retention remember(FeatureView view) throws RocksDBException {
        Retention retention = Retention.of(view);
        String name = view.qualifiedName();
        if (!retention.equals(retentions.get(name))) {
            folder.db().put(folder.meta(), RowKeys.retention(name), retention.encode());
            retentions.put(name, retention);
        }
        return retention;
    }

    /** As {@link OnlineStore#writeProgress}. */
    synchronized void record(Progress record) throws RocksDBException {
        ProgressBook book = bookFor(record);
        if (book.advances(record)) {
            folder.db().put(folder.meta(), RowKeys.progress(record.view(), record.shard()), encode(record));
            book.record(record);
        }
    }

    private ProgressBook bookFor(Progress record) throws RocksDBException {
        ProgressBook book = progress.get(record.view());
        if (book == null || book.shards() != record.shards()) {
            folder.db()
                    .deleteRange(
                            folder.meta(),
                            RowKeys.progress(record.view(), 0),
                            RowKeys.progress(record.view(), Integer.MAX_VALUE));
            book = new ProgressBook(record.shards());
            progress.put(record.view(), book);
        }
        return book;
    }

    private static byte[] encode(Progress record) {
        return ByteBuffer.allocate(Integer.BYTES + Long.BYTES)
                .putInt(record.shards())
                .putLong(record.windowEndMs())
                .array();
    }

    /** As {@link OnlineStore#watermark}. */
    OptionalLong watermark(String view) {
        ProgressBook book = progress.get(view);
        return book == null ? OptionalLong.empty() : book.watermark();
    }

    /** As {@link OnlineStore#alias}. */
    Optional<String> alias(String name) {
        return Optional.ofNullable(aliases.get(name));
    }

    /** As {@link OnlineStore#setAlias}. */
    synchronized void setAlias(String name, String view) throws RocksDBException {
        folder.db().put(folder.meta(), RowKeys.alias(name), view.getBytes(StandardCharsets.UTF_8));
        aliases.put(name, view);
    }
}
