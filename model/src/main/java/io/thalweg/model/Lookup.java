package io.thalweg.model;

import io.thalweg.model.yaml.DurationText;
import java.io.Serializable;
import java.util.List;

/**
 * A table that changes slowly, some of whose columns become fields of a view's events: by {@code key}, whose value in the event
 * names a row.
 *
 * <p><b>Threads.</b> Immutable, serializable.
 *
 * @param key a field of the event, or one that a lookup before this one gave it
 * @param fields what a row is asked for; each hides a field of the event of the same name
 * @param dropsMisses whether an event without a row is left out; otherwise its fields are null
 */
public record Lookup(Table table, FieldPath key, List<FieldPath> fields, boolean dropsMisses) implements Serializable {
    public Lookup {
        fields = List.copyOf(fields);
    }

    /** Where the rows are, and how they are kept. */
    public sealed interface Table extends Serializable {
        /** The name of the table in messages, without secrets. */
        String name();

        /** From the end of one reading to the next. */
        DurationText refresh();

        /** A table of more rows is refused. */
        int maxRows();

        /** Whether all values are text, so that text which is a number is taken where a number is needed. */
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
     * @param pattern {@code ad:{ad_id}} for keys, what stands for the braces being the row's key; without braces a hash
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
