package io.thalweg.store;

import io.thalweg.model.FeatureView;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RowBlock;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Where the rows of views are kept for reading: per key the newest row and, for views with {@code online.history}, the row
 * of every window end.
 *
 * <p><b>Order rule.</b> Rows of a key are ordered by {@code (window_end, finality, sequence)}, PARTIAL before FINAL; the
 * greater wins, an equal one changes nothing. So a store ends in the same state however often and in whatever order rows
 * arrive.
 *
 * <p><b>Expiry.</b> A row expires once the store's clock is past {@code window_end + ttl} ({@code + history} where the
 * view has one). An expired row is not written but counted, is never answered, and leaves the disk soon after.
 *
 * <p><b>Visibility.</b> What a call wrote, every later call in any thread reads; a progress record is never visible, nor
 * survives a crash, without the rows written before it. Read {@link #watermark} before the rows as of a time that it is to judge.
 *
 * <p><b>Threads.</b> All methods are safe to call from any thread at once.
 *
 * <p><b>Errors.</b> {@link StoreException} when the store is closed or fails; a write may wait a while for a store that is away,
 * nothing that failed is tried again here. A failed {@code write} may have written some of its rows; writing them again is
 * harmless.
 */
public interface OnlineStore extends AutoCloseable {
    /** Cells of a scan that are read together where a store has no better way: some 40 neighbourhoods. */
    int SCANNED_AT_ONCE = 2_000;

    /** Writes rows; the blocks must belong to the view. */
    void write(FeatureView view, List<? extends RowBlock> blocks);

    /**
     * Records how far a shard is; an earlier window end than the recorded one changes nothing. A record with another number
     * of shards restarts the view's progress, because other shards say nothing about these.
     */
    void writeProgress(Progress progress);

    /** Returns when everything written before survives a crash of the machine; a crash of the process it survives anyway. */
    void flush();

    /** The newest row of each key. Keys may repeat. */
    ReadRows read(FeatureView view, List<StoreKey> keys);

    /**
     * For each key the row that was valid at a time, in the order asked; {@link WindowEnds} says which that is.
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
     * Hands over the rows that cells of one group have: those that {@link #read} finds, or {@link #readAsOf}. Cells without a row are
     * not mentioned. Read the watermark that is to judge the rows before the first scan.
     *
     * @param cells H3 indexes of the view's resolution, ascending, none twice; neighbours cost least, such as those of a tile
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
     * The tiles and groups that have rows of a view with cells, each pair once. A place whose rows have expired may be among them for ten
     * minutes more.
     */
    List<Coverage> coverage(FeatureView view);

    /** Those of some tiles. */
    default List<Coverage> coverage(FeatureView view, long[] tiles) {
        Set<Long> wanted = LongStream.of(tiles).boxed().collect(Collectors.toSet());
        return coverage(view).stream()
                .filter(place -> wanted.contains(place.tile()))
                .toList();
    }

    /**
     * The view's watermark as readers see it, epoch ms: the minimum over its shards, absent until each has reported.
     *
     * @param view qualified name
     */
    OptionalLong watermark(String view);

    /**
     * The view that reads of a name get, as the last {@link #setAlias} of any process set it; empty if none did.
     *
     * @param name of a view, without its version
     * @return qualified name
     */
    Optional<String> alias(String name);

    /**
     * Makes reads of a name get one version of its view, in every process that serves this store. The last call wins.
     *
     * @param name of a view, without its version
     * @param view qualified name of the version
     */
    void setAlias(String name, String view);

    /**
     * Copies the embedded store as it is at one moment, while it is read and written.
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

    /** Rows that were not written because they had expired, since this store was opened. */
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
