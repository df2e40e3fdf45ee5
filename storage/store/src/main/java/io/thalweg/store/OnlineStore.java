package io.thalweg.store;

import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.view.FeatureView;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The store from which rows of views are read: per key it keeps the newest row and, for views with {@code online.history}, the
 * row of every window end.
 *
 * <p><b>Order rule.</b> Rows of a key are ordered by {@code (window_end, finality, sequence)}, PARTIAL before FINAL. The greater
 * row wins; an equal row changes nothing. So a store ends in the same state regardless of how often and in which order rows
 * arrive.
 *
 * <p><b>Expiry.</b> A row expires once the store's clock is past {@code window_end + ttl} ({@code + history} where the view has
 * one). Expired rows are counted instead of written, are never returned, and are removed from disk soon after.
 *
 * <p><b>Visibility.</b> A completed write is visible to every later call in any thread. A progress record never becomes visible,
 * nor survives a crash, without the rows written before it. To judge rows as of a time by the {@link #watermark}, read the
 * watermark before the rows.
 *
 * <p><b>Threads.</b> All methods are safe for concurrent use.
 *
 * <p><b>Errors.</b> {@link StoreException} when the store is closed or fails. A write may wait a while for an unreachable store;
 * otherwise the store does not retry. A failed {@code write} may have written some of its rows; writing them again is harmless.
 */
public interface OnlineStore extends AutoCloseable {
    /** Cells of a scan that are read together where a store has no better way: some 40 neighbourhoods. */
    int SCANNED_AT_ONCE = 2_000;

    /** Writes rows; the blocks must belong to the view. */
    void write(FeatureView view, List<? extends RowBlock> blocks);

    /**
     * Records the progress of a shard; an earlier window end than the recorded one changes nothing. A record with a
     * different number of shards resets the view's progress, because progress under another sharding does not apply.
     */
    void writeProgress(Progress progress);

    /**
     * Returns once everything written before survives a crash of the machine. A crash of the process never loses completed
     * writes.
     */
    void flush();

    /** Returns the newest row of each key. Keys may repeat. */
    ReadRows read(FeatureView view, List<StoreKey> keys);

    /**
     * Returns for each key the row that was valid at a time, in the order of the keys; {@link WindowEnds} defines which
     * row that is.
     *
     * @param asOfMs epoch ms
     * @throws IllegalArgumentException if the view keeps no history
     */
    ReadRows readAsOf(FeatureView view, List<StoreKey> keys, long asOfMs);

    /**
     * Reads the rows of one key at several window ends, in the order asked. Each is the row that {@link #readAsOf} finds as of that end.
     *
     * @param endsMs window ends of the view, epoch ms
     * @throws IllegalArgumentException if the view has no cells, or keeps no history
     */
    ReadRows readHistory(FeatureView view, StoreKey key, long[] endsMs);

    /**
     * Passes on the rows of cells of one group: those that {@link #read} or {@link #readAsOf} finds. Cells without a row are
     * skipped. To judge the rows by the watermark, read it before the first scan.
     *
     * @param cells H3 indexes of the view's resolution, ascending, without duplicates; neighbours, such as the cells of a
     *   tile, cost least
     * @param group values of the other entities, as in {@link StoreKey}
     * @param asOfMs epoch ms; empty = the newest rows
     * @throws IllegalArgumentException if the view has no cells, or {@code asOfMs} is given and the view keeps no history
     */
    default void scan(FeatureView view, long[] cells, List<Object> group, OptionalLong asOfMs, ScannedRows rows) {
        requireCells(view);
        for (int from = 0; from < cells.length; from += SCANNED_AT_ONCE) {
            int to = Math.min(cells.length, from + SCANNED_AT_ONCE);
            List<StoreKey> keys = Arrays.stream(cells, from, to)
                    .mapToObj(cell -> new StoreKey(cell, group))
                    .toList();
            ReadRows found = asOfMs.isPresent() ? readAsOf(view, keys, asOfMs.getAsLong()) : read(view, keys);
            found.handOver(cells, from, rows);
        }
    }

    /**
     * Returns the tiles and groups that contain rows of a view with cells, each pair once. A place may be listed for
     * ten more minutes after its rows expired.
     */
    List<Coverage> coverage(FeatureView view);

    /** Returns the coverage of the given tiles only. */
    default List<Coverage> coverage(FeatureView view, long[] tiles) {
        Set<Long> wanted = LongStream.of(tiles).boxed().collect(Collectors.toSet());
        return coverage(view).stream()
                .filter(place -> wanted.contains(place.tile()))
                .toList();
    }

    /**
     * Returns the view's watermark as readers see it, epoch ms: the minimum over its shards, absent until each has
     * reported.
     *
     * @param view qualified name
     */
    OptionalLong watermark(String view);

    /**
     * Returns some keys of a keyed view that have a newest row, as examples for people, among the first {@value
     * ExampleKeys#KEYS_READ}; none if the store cannot list them.
     *
     * @param prefix of the text of one of a key's values; empty = all keys
     * @param most how many
     */
    default List<List<Object>> exampleKeys(FeatureView view, String prefix, int most) {
        return List.of();
    }

    /**
     * Returns the view to which reads of a name resolve, as the last {@link #setAlias} of any process set it; empty if
     * none did.
     *
     * @param name of a view, without its version
     * @return qualified name
     */
    Optional<String> alias(String name);

    /**
     * Makes reads of a name resolve to one version of its view, in every process that serves this store. The last call
     * wins.
     *
     * @param name of a view, without its version
     * @param view qualified name of the version
     */
    void setAlias(String name, String view);

    /**
     * Copies a consistent snapshot of the embedded store while it is read and written.
     *
     * @param name of the copy; letters, digits, {@code .}, {@code _}, {@code -}, at most 100
     * @return the new folder, beside the store's: {@code FOLDER-backups/NAME}
     * @throws IllegalArgumentException if the name cannot be used, or is taken
     * @throws UnsupportedOperationException if the store is not embedded, and so has backups of its own
     */
    default Path backup(String name) {
        throw new UnsupportedOperationException(
                "only the embedded store (store.type: rocksdb) is backed up by Thalweg; use the"
                        + " backups of the store's own servers");
    }

    /** Returns how many rows were not written because they had expired, since this store was opened. */
    long expiredRows();

    /**
     * Checks a view before the history of a key is read.
     *
     * @throws IllegalArgumentException if the view has no cells, or keeps no history
     */
    static void requireHistoryOfCells(FeatureView view) {
        requireCells(view);
        Retention.requireHistory(view);
    }

    /**
     * Checks a view before it is scanned.
     *
     * @throws IllegalArgumentException if the view has no cells
     */
    static void requireCells(FeatureView view) {
        if (view.isKeyed()) {
            throw new IllegalArgumentException(
                    "view '" + view.qualifiedName() + "' cannot be scanned: its rows have no cell; read its keys");
        }
    }

    /**
     * Checks a block before it is written.
     *
     * @throws IllegalArgumentException if the block is another view's
     */
    static void requireView(FeatureView view, RowBlock block) {
        if (!block.view().equals(view.qualifiedName())) {
            throw new IllegalArgumentException(
                    "a block of view '" + block.view() + "' cannot be written as view '" + view.qualifiedName() + "'");
        }
    }

    @Override
    void close();
}
