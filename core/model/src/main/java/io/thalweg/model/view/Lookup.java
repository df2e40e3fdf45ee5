package io.thalweg.model.view;

import io.thalweg.model.field.FieldPath;
import io.thalweg.model.source.Source;
import io.thalweg.model.yaml.DurationText;
import java.io.Serializable;
import java.util.List;

/**
 * A slowly changing table, some of whose columns become fields of a view's events. The value of {@code key} in the event names
 * the row.
 *
 * <p><b>Threads.</b> Immutable, serializable.
 *
 * @param key a field of the event, or one that an earlier lookup added
 * @param fields columns of the row that are added; each hides a field of the event of the same name
 * @param dropsMisses whether an event without a row is dropped; otherwise its fields are null
 */
public record Lookup(Table table, FieldPath key, List<FieldPath> fields, boolean dropsMisses) implements Serializable {
    public Lookup {
        fields = List.copyOf(fields);
    }

    /** Where the rows are, and how they are kept. */
    public sealed interface Table extends Serializable {
        /** The name of the table in messages, without secrets. */
        String name();

        /** The time from the end of one read to the next. */
        DurationText refresh();

        /** The maximum number of rows; a larger table is refused. */
        int maxRows();

        /** Whether all values are text, so that numeric text is accepted where a number is needed. */
        boolean isUntyped();
    }

    /**
     * A file of JSON lines, or CSV with a header line.
     *
     * @param name as the definition writes it
     * @param path absolute: the job may run elsewhere
     * @param format {@code JSON} or {@code CSV}
     * @param key the column that holds the key
     */
    public record File(String name, String path, Source.Format format, FieldPath key, DurationText refresh, int maxRows)
            implements Table {
        @Override
        public boolean isUntyped() {
            return format == Source.Format.CSV;
        }
    }

    /**
     * Keys, or one hash, of a Redis server.
     *
     * @param server its name in {@code thalweg.yaml}
     * @param pattern {@code ad:{ad_id}} for keys, where the part in braces is the row's key; without braces a hash
     */
    public record Redis(String server, String pattern, DurationText refresh, int maxRows) implements Table {
        @Override
        public String name() {
            return server + " " + pattern;
        }

        @Override
        public boolean isUntyped() {
            return true;
        }
    }
}
