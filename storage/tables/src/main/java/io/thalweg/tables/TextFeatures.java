package io.thalweg.tables;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.FieldKind;
import io.thalweg.formats.Projection;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.source.Source;
import io.thalweg.model.table.Table;
import io.thalweg.model.view.Computation;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parses a text such as {@code trips=7,rating=4.5}. The last of duplicate names counts, names without a feature are skipped,
 * white space around names and values is ignored, and an empty value is missing.
 *
 * <p><b>Threads.</b> One.
 */
final class TextFeatures {
    private final Table.Text text;
    private final int column;
    private final Projection names;
    private final Map<String, Integer> places = new HashMap<>();
    private final EventColumns values;

    /**
     * Creates a parser for the texts of a column.
     *
     * @param features whose fields are the names in the text
     */
    TextFeatures(Table.Text text, List<Computation.Column> features, int column) {
        this.text = text;
        this.column = column;
        names = Projection.of(
                Source.Format.CSV,
                features.stream().map(Computation.Column::field).toList());
        for (FieldPath name : names.paths()) {
            places.put(name.text(), names.column(name));
        }
        values = new EventColumns(names);
    }

    /** The column of the text. */
    int column() {
        return column;
    }

    /** The field of the text. */
    String field() {
        return text.field().text();
    }

    /** Returns the column of {@link #values} for the value after a name. */
    int column(FieldPath name) {
        return names.column(name);
    }

    /** Reads a row's text; returns the problem, or null if {@link #values} contains the values. */
    @Nullable
    String read(EventColumns from, int e) {
        values.clear();
        values.append(new byte[0], 0, 0, 0, 0, EventColumns.NO_TIMESTAMP);
        FieldKind kind = from.kind(e, column);
        if (kind.isAbsent()) {
            return null;
        }
        if (kind != FieldKind.STRING) {
            return "'%s' must be text, was %s".formatted(text.field().text(), from.shown(e, column));
        }
        String whole = from.string(e, column);
        for (int at = 0; at < whole.length(); ) {
            int end = whole.indexOf(text.entry(), at);
            String entry = whole.substring(at, end < 0 ? whole.length() : end).strip();
            if (!entry.isEmpty() && !put(entry)) {
                return "'%s' must be entries such as name%s1, was '%s'"
                        .formatted(text.field().text(), text.pair(), entry);
            }
            at = end < 0 ? whole.length() : end + text.entry().length();
        }
        return null;
    }

    private boolean put(String entry) {
        int middle = entry.indexOf(text.pair());
        if (middle < 0) {
            return false;
        }
        Integer place = places.get(entry.substring(0, middle).strip());
        if (place != null) {
            byte[] value =
                    entry.substring(middle + text.pair().length()).strip().getBytes(StandardCharsets.UTF_8);
            if (value.length == 0) {
                values.put(place, FieldKind.MISSING);
            } else {
                values.putBytes(place, value, 0, value.length);
            }
        }
        return true;
    }

    /** Returns one row, with a column of text for each feature. */
    EventColumns values() {
        return values;
    }
}
