package io.thalweg.devkit.google;

import com.google.cloud.bigquery.storage.v1.TableFieldSchema;
import com.google.cloud.bigquery.storage.v1.TableFieldSchema.Mode;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The documented rules by which BigQuery refuses rows. */
final class RowChecks {
    private static final long FIRST_DAY = -719_162;
    private static final long LAST_DAY = 2_932_896;
    private static final long MICROS_PER_DAY = 86_400_000_000L;

    private RowChecks() {}

    /** Returns the problem with the type of the rows; null if there is none. */
    static @Nullable String type(Descriptor type, List<TableFieldSchema> columns) {
        for (FieldDescriptor field : type.getFields()) {
            TableFieldSchema column = column(field.getName(), columns);
            if (column == null) {
                return "field " + field.getName() + " is not in the table";
            }
            if (field.isRepeated() != (column.getMode() == Mode.REPEATED)) {
                return "field " + field.getName() + " must be repeated exactly if its column is";
            }
            if (column.getType() == TableFieldSchema.Type.STRUCT) {
                String inside = type(field.getMessageType(), column.getFieldsList());
                if (inside != null) {
                    return inside;
                }
            }
        }
        for (TableFieldSchema column : columns) {
            boolean there = type.getFields().stream().anyMatch(f -> f.getName().equalsIgnoreCase(column.getName()));
            if (column.getMode() == Mode.REQUIRED && !there) {
                return "required column " + column.getName() + " has no field";
            }
        }
        return null;
    }

    private static @Nullable TableFieldSchema column(String name, List<TableFieldSchema> columns) {
        return columns.stream()
                .filter(each -> each.getName().equalsIgnoreCase(name))
                .findFirst()
                .orElse(null);
    }

    /** Returns the problem with a row; null if there is none. */
    static @Nullable String row(DynamicMessage row, List<TableFieldSchema> columns, Predicate<String> refuses) {
        if (!row.getUnknownFields().asMap().isEmpty()) {
            return "unknown fields";
        }
        for (TableFieldSchema column : columns) {
            FieldDescriptor field = row.getDescriptorForType().getFields().stream()
                    .filter(each -> each.getName().equalsIgnoreCase(column.getName()))
                    .findFirst()
                    .orElse(null);
            String wrong = field == null ? null : field(row, field, column, refuses);
            if (wrong != null) {
                return "column " + column.getName() + ": " + wrong;
            }
        }
        return null;
    }

    private static @Nullable String field(
            DynamicMessage row, FieldDescriptor field, TableFieldSchema column, Predicate<String> refuses) {
        if (field.isRepeated()) {
            for (Object each : (List<?>) row.getField(field)) {
                String wrong = value(each, column, refuses);
                if (wrong != null) {
                    return wrong;
                }
            }
            return null;
        }
        if (!row.hasField(field)) {
            return column.getMode() == Mode.REQUIRED ? "is required" : null;
        }
        return value(row.getField(field), column, refuses);
    }

    private static @Nullable String value(Object value, TableFieldSchema column, Predicate<String> refuses) {
        if (value instanceof DynamicMessage message) {
            return row(message, column.getFieldsList(), refuses);
        }
        if (value instanceof String text && refuses.test(text)) {
            return "refused on demand";
        }
        try {
            return switch (column.getType()) {
                case DATE -> inside(((Number) value).longValue(), FIRST_DAY, LAST_DAY);
                case TIMESTAMP ->
                    inside(
                            ((Number) value).longValue(),
                            FIRST_DAY * MICROS_PER_DAY,
                            (LAST_DAY + 1) * MICROS_PER_DAY - 1);
                case TIME -> parsed(LocalTime.parse((String) value));
                case DATETIME -> parsed(LocalDateTime.parse((String) value));
                case NUMERIC -> fits(new BigDecimal((String) value), 29, 9);
                case BIGNUMERIC -> fits(new BigDecimal((String) value), 38, 38);
                default -> null;
            };
        } catch (NumberFormatException | DateTimeParseException e) {
            return "'" + value + "' is not a " + column.getType();
        }
    }

    private static @Nullable String inside(long value, long least, long most) {
        return value < least || value > most ? value + " is out of range" : null;
    }

    private static @Nullable String parsed(Object value) {
        return value.toString().isEmpty() ? "is empty" : null;
    }

    private static @Nullable String fits(BigDecimal value, int whole, int scale) {
        boolean fits = value.scale() <= scale && value.precision() - value.scale() <= whole;
        return fits ? null : value + " has too many digits";
    }
}
