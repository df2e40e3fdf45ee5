package io.thalweg.google.bigquery;

import com.google.cloud.bigquery.storage.v1.TableFieldSchema;
import com.google.cloud.bigquery.storage.v1.TableFieldSchema.Mode;
import com.google.cloud.bigquery.storage.v1.TableSchema;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.Bytes;
import io.thalweg.records.schema.FieldType.Date;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.FieldType.Time;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** Derives the BigQuery columns of rows. */
public final class BigQueryColumns {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,299}");

    /** Digits before and after the point that a NUMERIC has. */
    private static final int NUMERIC_WHOLE = 29;

    private static final int NUMERIC_SCALE = 9;

    private BigQueryColumns() {}

    /**
     * Derives the columns: a list is REPEATED, a map a REPEATED STRUCT of {@code key} and {@code value}.
     *
     * @throws SchemaException if BigQuery has no such columns; the message names the field
     */
    public static TableSchema of(Struct rows) {
        return TableSchema.newBuilder().addAllFields(columns(rows, "")).build();
    }

    /** Checks that BigQuery can store such rows; see {@link #of}. */
    public static void check(Struct rows) {
        var unused = of(rows);
    }

    private static List<TableFieldSchema> columns(Struct struct, String prefix) {
        List<TableFieldSchema> columns = new ArrayList<>();
        Map<String, String> seen = new HashMap<>();
        for (Field field : struct.fields()) {
            String name = field.name();
            String path = prefix + name;
            if (!NAME.matcher(name).matches()) {
                throw new SchemaException("'" + path + "' is not a name that BigQuery accepts (letters, digits and _);"
                        + " rename it with 'fields'");
            }
            String twin = seen.put(name.toLowerCase(Locale.ROOT), path);
            if (twin != null) {
                throw new SchemaException("'" + twin + "' and '" + path
                        + "' are one column in BigQuery, which ignores case; rename one of them with 'fields'");
            }
            columns.add(column(field, path));
        }
        return columns;
    }

    private static TableFieldSchema column(Field field, String path) {
        FieldType type = field.type();
        TableFieldSchema.Builder column = TableFieldSchema.newBuilder().setName(field.name());
        if (type instanceof ListOf list) {
            return typed(column, list.element(), path).setMode(Mode.REPEATED).build();
        }
        if (type instanceof MapOf map) {
            Struct entry = new Struct(List.of(
                    Field.required("key", map.key()),
                    map.valuesRequired()
                            ? Field.required("value", map.value())
                            : Field.optional("value", map.value())));
            return typed(column, entry, path).setMode(Mode.REPEATED).build();
        }
        return typed(column, type, path)
                .setMode(field.required() ? Mode.REQUIRED : Mode.NULLABLE)
                .build();
    }

    private static TableFieldSchema.Builder typed(TableFieldSchema.Builder column, FieldType type, String path) {
        if (type instanceof Struct struct) {
            if (struct.fields().isEmpty()) {
                throw new SchemaException(
                        "'" + path + "' has no fields, which BigQuery does not allow; leave it out with 'exclude'");
            }
            return column.setType(TableFieldSchema.Type.STRUCT).addAllFields(columns(struct, path + "."));
        }
        if (type instanceof ListOf || type instanceof MapOf) {
            throw new SchemaException("'" + path + "' is a list of lists or maps, which BigQuery does not have;"
                    + " select other fields with 'fields'");
        }
        return column.setType(scalar(type));
    }

    private static TableFieldSchema.Type scalar(FieldType type) {
        if (type instanceof Bool) {
            return TableFieldSchema.Type.BOOL;
        }
        if (type instanceof Int) {
            return TableFieldSchema.Type.INT64;
        }
        if (type instanceof Real) {
            return TableFieldSchema.Type.DOUBLE;
        }
        if (type instanceof Bytes) {
            return TableFieldSchema.Type.BYTES;
        }
        if (type instanceof Decimal decimal) {
            boolean numeric =
                    decimal.scale() <= NUMERIC_SCALE && decimal.precision() - decimal.scale() <= NUMERIC_WHOLE;
            return numeric ? TableFieldSchema.Type.NUMERIC : TableFieldSchema.Type.BIGNUMERIC;
        }
        return temporal(type);
    }

    private static TableFieldSchema.Type temporal(FieldType type) {
        if (type instanceof Date) {
            return TableFieldSchema.Type.DATE;
        }
        if (type instanceof Time) {
            return TableFieldSchema.Type.TIME;
        }
        if (type instanceof Timestamp timestamp) {
            return timestamp.utc() ? TableFieldSchema.Type.TIMESTAMP : TableFieldSchema.Type.DATETIME;
        }
        return TableFieldSchema.Type.STRING;
    }

    /**
     * Returns the differences that prevent rows from being written to a table, one line each.
     *
     * @param rows the columns of the rows
     * @param table the columns of the table
     */
    static List<String> differences(TableSchema rows, TableSchema table) {
        List<String> found = new ArrayList<>();
        compare(rows.getFieldsList(), table.getFieldsList(), "", found);
        return found;
    }

    private static void compare(
            List<TableFieldSchema> rows, List<TableFieldSchema> table, String prefix, List<String> found) {
        Map<String, TableFieldSchema> missing = new HashMap<>();
        table.forEach(column -> missing.put(column.getName().toLowerCase(Locale.ROOT), column));
        for (TableFieldSchema row : rows) {
            String path = prefix + row.getName();
            TableFieldSchema column = missing.remove(row.getName().toLowerCase(Locale.ROOT));
            if (column == null) {
                found.add("column " + path + " " + text(row) + " is missing");
            } else {
                compare(row, column, path, found);
            }
        }
        missing.values().stream()
                .filter(column -> column.getMode() == Mode.REQUIRED)
                .forEach(column ->
                        found.add("column " + prefix + column.getName() + " is required, and the rows do not have it"));
    }

    private static void compare(TableFieldSchema row, TableFieldSchema column, String path, List<String> found) {
        boolean repeated = row.getMode() == Mode.REPEATED;
        if (row.getType() != column.getType() || repeated != (column.getMode() == Mode.REPEATED)) {
            found.add("column %s is %s, and the rows have %s".formatted(path, text(column), text(row)));
        } else if (column.getMode() == Mode.REQUIRED && row.getMode() == Mode.NULLABLE) {
            found.add("column " + path + " is required, and events may lack it");
        } else if (row.getType() == TableFieldSchema.Type.STRUCT) {
            compare(row.getFieldsList(), column.getFieldsList(), path + ".", found);
        }
    }

    private static String text(TableFieldSchema column) {
        return column.getMode() == Mode.REPEATED
                ? "repeated " + column.getType()
                : column.getType().toString();
    }
}
