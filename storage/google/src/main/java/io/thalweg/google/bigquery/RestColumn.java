package io.thalweg.google.bigquery;

import com.google.cloud.bigquery.storage.v1.TableFieldSchema;
import io.thalweg.records.schema.Struct;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A column as BigQuery's REST API and Terraform describe it.
 *
 * @param type in the names that the API returns, such as {@code INTEGER}
 * @param mode {@code NULLABLE}, {@code REQUIRED} or {@code REPEATED}
 * @param fields of a {@code RECORD}; empty otherwise
 */
public record RestColumn(String name, String type, String mode, List<RestColumn> fields) {
    public RestColumn {
        fields = List.copyOf(fields);
    }

    /**
     * Returns the columns of a table for rows.
     *
     * @throws io.thalweg.records.schema.SchemaException if BigQuery has no such columns
     */
    public static List<RestColumn> of(Struct rows) {
        return of(BigQueryColumns.of(rows).getFieldsList());
    }

    private static List<RestColumn> of(List<TableFieldSchema> columns) {
        return columns.stream()
                .map(column -> new RestColumn(
                        column.getName(), type(column), column.getMode().name(), of(column.getFieldsList())))
                .toList();
    }

    private static String type(TableFieldSchema column) {
        return switch (column.getType()) {
            case INT64 -> "INTEGER";
            case DOUBLE -> "FLOAT";
            case BOOL -> "BOOLEAN";
            case STRUCT -> "RECORD";
            default -> column.getType().name();
        };
    }

    /** Returns columns as a JSON array. Names need no escapes. */
    static String json(List<RestColumn> columns) {
        return columns.stream().map(RestColumn::json).collect(Collectors.joining(",", "[", "]"));
    }

    private String json() {
        String nested = fields.isEmpty() ? "" : ",\"fields\":" + json(fields);
        return "{\"name\":\"%s\",\"type\":\"%s\",\"mode\":\"%s\"%s}".formatted(name, type, mode, nested);
    }
}
