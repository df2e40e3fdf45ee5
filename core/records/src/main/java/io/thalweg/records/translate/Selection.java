package io.thalweg.records.translate;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The columns of a target, each with the path of its field in the source.
 *
 * @param columns in the order of the target; a column without a name selects all fields of the source
 * @param excluded paths of fields that are left out wherever they are selected; they lead through structs, and to the fields of
 *     structs in lists and maps
 */
public record Selection(List<Column> columns, List<List<String>> excluded) implements Serializable {
    /** Selects all fields of the source, under their names. */
    public static final Selection ALL = new Selection(List.of(Column.all()));

    public Selection {
        columns = List.copyOf(columns);
        excluded = excluded.stream().map(List::copyOf).toList();
    }

    /** Selects columns and leaves nothing out. */
    public Selection(List<Column> columns) {
        this(columns, List.of());
    }

    /** Selects all fields of a source but those that can only be skipped. */
    public static Selection readable(Struct source) {
        List<List<String>> skipped = new ArrayList<>();
        skipped(source, List.of(), skipped);
        return new Selection(List.of(Column.all()), skipped);
    }

    private static void skipped(FieldType type, List<String> path, List<List<String>> into) {
        if (FieldType.isSkipped(type)) {
            into.add(path);
        } else if (type instanceof FieldType.ListOf list) {
            skipped(list.element(), path, into);
        } else if (type instanceof FieldType.MapOf map) {
            skipped(map.value(), path, into);
        } else if (type instanceof Struct struct) {
            for (Field field : struct.fields()) {
                List<String> at = new ArrayList<>(path);
                at.add(field.name());
                skipped(field.type(), at, into);
            }
        }
    }

    /**
     * A column.
     *
     * @param name of the column; empty for all fields
     * @param path names of fields, from the root to the field; empty for all fields
     */
    public record Column(String name, List<String> path) implements Serializable {
        public Column {
            path = List.copyOf(path);
        }

        /** Creates the column that selects all fields of the source. */
        public static Column all() {
            return new Column("", List.of());
        }

        boolean isAll() {
            return path.isEmpty();
        }
    }

    /** Returns the columns, with a column for all fields replaced by one column per field. */
    List<Column> expanded(Struct source) {
        List<Column> expanded = new ArrayList<>();
        for (Column column : columns) {
            Stream<Column> found = column.isAll()
                    ? source.fields().stream()
                            .map(Field::name)
                            .filter(name -> !excluded.contains(List.of(name)))
                            .map(name -> new Column(name, List.of(name)))
                    : Stream.of(column);
            found.forEach(expanded::add);
        }
        return expanded;
    }
}
