package io.thalweg.history;

import io.thalweg.model.row.EntityValues;
import io.thalweg.model.row.ReadOutcome;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.ViewFingerprint;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.tables.FlatRows;
import io.thalweg.tables.FlatTable;
import io.thalweg.tables.RowTable;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes the serving log of a view: Parquet files {@code FOLDER/VIEW/DAY/TIME-PROCESS.parquet}. Answers are in memory until
 * {@link #endFile}, so no reader sees half a file, and a process that is killed loses those since the last one.
 *
 * <p><b>Memory.</b> 9 bytes for each value. <b>Threads.</b> One.
 */
public final class ServedFiles {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH-mm-ss.SSS").withZone(ZoneOffset.UTC);
    private static final String SUFFIX = ".parquet";

    private final Path folder;
    private final FeatureView view;
    private final @Nullable KeyHash hash;
    private final long keepDays;
    private final ShardOfKey shards;
    private final ServedLayout layout;
    private final String fingerprint;
    private final List<String> names;
    private final ColumnWriter columns;
    private long firstMs;

    /**
     * An answer.
     *
     * @param key the entities in canonical form, in the view's order
     * @param windowEndMs epoch ms, or {@link ReadOutcome#NONE}
     * @param features the features that were asked
     * @param values theirs, in the same order; null if there are none
     */
    public record Answer(
            long readAtMs,
            Map<String, Object> key,
            ReadStatus status,
            long windowEndMs,
            List<String> features,
            @Nullable List<@Nullable Object> values) {}

    /**
     * @param folder of all views; created with the first file
     * @param hash null = keys are written as they are
     * @param keepDays days whose files are kept, besides the present one
     */
    public ServedFiles(Path folder, FeatureView view, @Nullable KeyHash hash, long keepDays) {
        this.folder = folder(folder, view);
        this.view = view;
        this.hash = hash;
        this.keepDays = keepDays;
        shards = ShardOfKey.of(view);
        layout = new ServedLayout(view);
        fingerprint = ViewFingerprint.ofServed(view);
        names = view.featureNames();
        columns = new ColumnWriter(layout.columns(hash != null));
    }

    private static Path folder(Path folder, FeatureView view) {
        return folder.resolve(view.qualifiedName());
    }

    /** Adds an answer. Returns false, and adds nothing, if a value is a whole number of more than 64 bits. */
    public boolean add(Answer answer) {
        List<@Nullable Object> values = inOrder(answer);
        if (values.stream().anyMatch(BigInteger.class::isInstance)) {
            return false;
        }
        if (columns.rows() == 0) {
            firstMs = answer.readAtMs();
        }
        columns.begin();
        try {
            write(answer, values);
        } catch (RuntimeException e) {
            columns.rollback();
            throw e;
        }
        columns.end();
        return true;
    }

    private void write(Answer answer, List<@Nullable Object> values) {
        int column = 0;
        columns.int64(column++, Math.multiplyExact(answer.readAtMs(), 1_000));
        KeyHash hashes = hash;
        if (hashes == null) {
            for (Object value : answer.key().values()) {
                FlatRows.put(columns, column++, value);
            }
        } else {
            List<Object> key = key(answer.key());
            FlatRows.put(columns, column++, hashes.of(key));
            columns.int64(column++, shards.of(key));
        }
        FlatRows.put(columns, column++, answer.status().name());
        boolean timed = answer.windowEndMs() != ReadOutcome.NONE;
        FlatRows.put(columns, column++, timed ? (Long) Math.multiplyExact(answer.windowEndMs(), 1_000) : null);
        FlatRows.put(columns, column++, fingerprint);
        FlatRows.put(
                columns,
                column++,
                answer.features().equals(names) ? ServedLayout.ALL : String.join(",", answer.features()));
        for (Object value : values) {
            FlatRows.put(columns, column++, value);
        }
    }

    private List<Object> key(Map<String, Object> canonical) {
        List<Object> key = new ArrayList<>();
        for (Entity entity : view.entities()) {
            key.add(EntityValues.of(entity, Objects.requireNonNull(canonical.get(entity.name()))));
        }
        return key;
    }

    /** Returns a value for each feature of the view. */
    private List<@Nullable Object> inOrder(Answer answer) {
        List<@Nullable Object> given = answer.values();
        if (given != null && answer.features().equals(names)) {
            return given;
        }
        List<@Nullable Object> values = new ArrayList<>(names.size());
        for (String name : names) {
            int index = given == null ? -1 : answer.features().indexOf(name);
            values.add(index < 0 || given == null ? null : given.get(index));
        }
        return values;
    }

    /** The number of answers since the last file. */
    public int rows() {
        return columns.rows();
    }

    /** Writes the answers since the last file, if there are any, and deletes files that are not kept any longer. */
    public void endFile() throws IOException {
        if (columns.rows() == 0) {
            return;
        }
        LocalDate day = day(firstMs);
        Path of = Files.createDirectories(folder.resolve(day.toString()));
        String name = TIME.format(Instant.ofEpochMilli(firstMs)) + "-"
                + ProcessHandle.current().pid();
        Path partial = of.resolve(name + ".partial");
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(partial))) {
            FlatTable table = FlatTable.open(RowTable.Form.PARQUET, layout.columns(hash != null), out);
            table.add(columns.take());
            table.finish();
        }
        Files.move(partial, of.resolve(name + SUFFIX), StandardCopyOption.ATOMIC_MOVE);
        deleteBefore(day.minusDays(keepDays));
    }

    private static LocalDate day(long ms) {
        return LocalDate.ofInstant(Instant.ofEpochMilli(ms), ZoneOffset.UTC);
    }

    private void deleteBefore(LocalDate day) throws IOException {
        for (Path each : children(folder)) {
            if (each.getFileName().toString().compareTo(day.toString()) < 0) {
                for (Path file : children(each)) {
                    Files.deleteIfExists(file);
                }
                Files.deleteIfExists(each);
            }
        }
    }

    /**
     * Returns the files that may have answers of a time, the oldest first.
     *
     * @param folder of all views
     * @param fromMs epoch ms
     * @param toMs epoch ms
     */
    static List<Path> list(Path folder, FeatureView view, long fromMs, long toMs) throws IOException {
        // A file is named by its first answer.
        String first = day(fromMs).minusDays(1).toString();
        String last = day(toMs).toString();
        List<Path> files = new ArrayList<>();
        for (Path day : children(folder(folder, view))) {
            String name = day.getFileName().toString();
            if (name.compareTo(first) >= 0 && name.compareTo(last) <= 0) {
                children(day).stream()
                        .filter(file -> file.toString().endsWith(SUFFIX))
                        .forEach(files::add);
            }
        }
        return files;
    }

    /** Returns what is in a folder, by name; nothing if it does not exist. */
    private static List<Path> children(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> children = Files.list(folder)) {
            return children.sorted(Comparator.naturalOrder()).toList();
        }
    }
}
