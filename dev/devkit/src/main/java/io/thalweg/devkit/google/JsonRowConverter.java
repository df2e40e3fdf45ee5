package io.thalweg.devkit.google;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.cloud.bigquery.storage.v1.TableFieldSchema;
import com.google.cloud.bigquery.storage.v1.TableFieldSchema.Mode;
import com.google.cloud.bigquery.storage.v1.TableSchema;
import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import java.time.Instant;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Converts JSON rows to messages whose type follows from a table's columns.
 *
 * <p><b>Threads.</b> Safe.
 */
final class JsonRowConverter {
    private final Descriptor type;

    JsonRowConverter(TableSchema table) {
        try {
            type = FileDescriptor.buildFrom(
                            FileDescriptorProto.newBuilder()
                                    .setName("table.proto")
                                    .addMessageType(message("Row", table.getFieldsList()))
                                    .build(),
                            new FileDescriptor[0])
                    .getMessageTypes()
                    .get(0);
        } catch (DescriptorValidationException e) {
            throw new IllegalArgumentException(e);
        }
    }

    Descriptor type() {
        return type;
    }

    private static DescriptorProto message(String name, List<TableFieldSchema> columns) {
        DescriptorProto.Builder message = DescriptorProto.newBuilder().setName(name);
        int number = 1;
        for (TableFieldSchema column : columns) {
            FieldDescriptorProto.Builder field = FieldDescriptorProto.newBuilder()
                    .setName(column.getName())
                    .setNumber(number)
                    .setLabel(
                            column.getMode() == Mode.REPEATED
                                    ? FieldDescriptorProto.Label.LABEL_REPEATED
                                    : FieldDescriptorProto.Label.LABEL_OPTIONAL)
                    .setType(type(column));
            if (column.getType() == TableFieldSchema.Type.STRUCT) {
                String struct = "Struct" + number;
                message.addNestedType(message(struct, column.getFieldsList()));
                field.setTypeName(struct);
            }
            message.addField(field);
            number++;
        }
        return message.build();
    }

    private static FieldDescriptorProto.Type type(TableFieldSchema column) {
        return switch (column.getType()) {
            case BOOL -> FieldDescriptorProto.Type.TYPE_BOOL;
            case INT64, TIMESTAMP -> FieldDescriptorProto.Type.TYPE_INT64;
            case DATE -> FieldDescriptorProto.Type.TYPE_INT32;
            case DOUBLE -> FieldDescriptorProto.Type.TYPE_DOUBLE;
            case BYTES -> FieldDescriptorProto.Type.TYPE_BYTES;
            case STRUCT -> FieldDescriptorProto.Type.TYPE_MESSAGE;
            default -> FieldDescriptorProto.Type.TYPE_STRING;
        };
    }

    /**
     * Returns the message of a row.
     *
     * @throws IllegalArgumentException if a field is not in the table, or a value has another type; the message names it
     */
    DynamicMessage message(JsonNode row, List<TableFieldSchema> columns) {
        return message(row, type, columns, "");
    }

    private static DynamicMessage message(
            JsonNode row, Descriptor type, List<TableFieldSchema> columns, String prefix) {
        if (!row.isObject()) {
            throw new IllegalArgumentException(prefix + ": not an object");
        }
        DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
        for (Map.Entry<String, JsonNode> each : row.properties()) {
            String path = prefix + each.getKey();
            int i = indexOf(each.getKey(), columns);
            if (i < 0) {
                throw new IllegalArgumentException("no such field: " + path);
            }
            FieldDescriptor field = type.getFields().get(i);
            if (each.getValue().isNull()) {
                continue;
            }
            if (!field.isRepeated()) {
                message.setField(field, value(each.getValue(), field, columns.get(i), path));
            } else if (each.getValue().isArray()) {
                each.getValue()
                        .forEach(element ->
                                message.addRepeatedField(field, value(element, field, columns.get(i), path)));
            } else {
                throw new IllegalArgumentException(path + ": must be an array");
            }
        }
        return message.build();
    }

    private static int indexOf(String name, List<TableFieldSchema> columns) {
        String wanted = name.toLowerCase(Locale.ROOT);
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).getName().toLowerCase(Locale.ROOT).equals(wanted)) {
                return i;
            }
        }
        return -1;
    }

    /** Converts a value; like the service, it accepts numbers and booleans as text. */
    private static Object value(JsonNode value, FieldDescriptor field, TableFieldSchema column, String path) {
        if (column.getType() == TableFieldSchema.Type.STRUCT) {
            return message(value, field.getMessageType(), column.getFieldsList(), path + ".");
        }
        if (value.isContainerNode() || value.isNull()) {
            throw new IllegalArgumentException(path + ": must be a " + column.getType());
        }
        String text = value.asText();
        try {
            return switch (column.getType()) {
                case BOOL -> bool(text);
                case INT64 -> Long.parseLong(text);
                case DOUBLE -> Double.parseDouble(text);
                case TIMESTAMP -> micros(Instant.parse(text));
                case DATE -> (int) LocalDate.parse(text).toEpochDay();
                case BYTES -> ByteString.copyFrom(Base64.getDecoder().decode(text));
                default -> text;
            };
        } catch (DateTimeParseException | IllegalArgumentException e) {
            throw new IllegalArgumentException("%s: '%s' is not a %s".formatted(path, text, column.getType()), e);
        }
    }

    private static boolean bool(String text) {
        if (!text.equals("true") && !text.equals("false")) {
            throw new IllegalArgumentException(text);
        }
        return text.equals("true");
    }

    private static long micros(Instant time) {
        return Math.addExact(Math.multiplyExact(time.getEpochSecond(), 1_000_000L), time.getNano() / 1_000L);
    }
}
