package io.thalweg.google.bigquery;

import com.google.cloud.bigquery.storage.v1.TableFieldSchema;
import com.google.cloud.bigquery.storage.v1.TableFieldSchema.Mode;
import io.thalweg.records.schema.Struct;
import java.util.List;
import java.util.stream.Collectors;

/** Writes tables of BigQuery in GoogleSQL. */
public final class BigQueryDdl {
    private BigQueryDdl() {}

    /**
     * Returns the statement that creates a table for rows; its last line ends with a line break.
     *
     * @param table {@code project.dataset.table}
     * @throws io.thalweg.records.schema.SchemaException if BigQuery has no such columns
     */
    public static String createTable(String table, Struct rows) {
        String columns = BigQueryColumns.of(rows).getFieldsList().stream()
                .map(column -> "  " + column(column))
                .collect(Collectors.joining(",\n"));
        return "CREATE TABLE `%s` (%n%s%n);%n".formatted(table, columns);
    }

    private static String column(TableFieldSchema column) {
        String type = column.getMode() == Mode.REPEATED ? "ARRAY<" + type(column) + ">" : type(column);
        return "`%s` %s%s".formatted(column.getName(), type, column.getMode() == Mode.REQUIRED ? " NOT NULL" : "");
    }

    private static String type(TableFieldSchema column) {
        return switch (column.getType()) {
            case DOUBLE -> "FLOAT64";
            case STRUCT -> struct(column.getFieldsList());
            default -> column.getType().name();
        };
    }

    private static String struct(List<TableFieldSchema> fields) {
        return fields.stream().map(BigQueryDdl::column).collect(Collectors.joining(", ", "STRUCT<", ">"));
    }
}
