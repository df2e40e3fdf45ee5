package io.thalweg.model.table;

import io.thalweg.model.field.FieldPath;
import io.thalweg.model.source.Source;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table in files: one file, all those of a folder and the folders in it, or those of an Iceberg table.
 *
 * <p><b>Threads.</b> Immutable, serializable.
 *
 * @param name as the definition writes it
 * @param path absolute: the job may run elsewhere
 * @param partitions names of the columns in the paths, as in {@code dt=2026-11-20/}; of an Iceberg table in its
 *     metadata
 * @param text the column with all features in one text; null if they have columns of their own
 * @param eventTime null = the time at which the load began
 */
public record Table(
        Format format,
        String name,
        String path,
        List<String> partitions,
        @Nullable Text text,
        Source.@Nullable EventTime eventTime)
        implements Serializable {
    /** The format of a table's files, and how they are found. */
    public enum Format {
        PARQUET,
        CSV,
        /** Parquet files that are listed in Iceberg metadata. */
        ICEBERG;

        /** As written in a definition. */
        public String text() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /**
     * Features in one text, such as {@code trips=7,rating=4.5}.
     *
     * @param field the column
     * @param entry separator between entries
     * @param pair separator between name and value
     */
    public record Text(FieldPath field, String entry, String pair) implements Serializable {}

    /** Spelled out because a compact constructor loses the nullness annotations in its class file. */
    public Table(
            Format format,
            String name,
            String path,
            List<String> partitions,
            @Nullable Text text,
            Source.@Nullable EventTime eventTime) {
        this.format = format;
        this.name = name;
        this.path = path;
        this.partitions = List.copyOf(partitions);
        this.text = text;
        this.eventTime = eventTime;
    }
}
