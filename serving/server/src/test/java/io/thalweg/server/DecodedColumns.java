package io.thalweg.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An answer in columns, read by the specification in {@code docs/reference/http.md}.
 *
 * @param types of the columns by their names
 * @param columns the values of all rows by the name of the column; text and lists that are missing are null
 */
public record DecodedColumns(JsonNode head, Map<String, String> types, Map<String, List<@Nullable Object>> columns) {
    public static DecodedColumns of(byte[] body) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN);
        int length = bytes.getInt(0);
        JsonNode head = new ObjectMapper().readTree(new String(body, 4, length, StandardCharsets.UTF_8));
        int begin = (4 + length + 7) / 8 * 8;
        int rows = head.get("row_count").asInt();
        Map<String, String> types = new LinkedHashMap<>();
        Map<String, List<@Nullable Object>> columns = new LinkedHashMap<>();
        for (JsonNode column : head.get("columns")) {
            int at = begin + column.get("offset").asInt();
            if (at % 8 != 0) {
                throw new AssertionError(column + " begins at byte " + at);
            }
            String name = column.get("name").asText();
            types.put(name, column.get("type").asText());
            columns.put(name, values(bytes, at, column.get("type").asText(), rows));
        }
        return new DecodedColumns(head, types, columns);
    }

    private static List<@Nullable Object> values(ByteBuffer bytes, int at, String type, int rows) {
        List<@Nullable Object> values = new ArrayList<>();
        int next = type.equals("text") ? at + 4 * rows : (at + 4 * rows + 7) / 8 * 8;
        for (int row = 0; row < rows; row++) {
            switch (type) {
                case "u8" -> values.add((int) bytes.get(at + row));
                case "u32" -> values.add(bytes.getInt(at + 4 * row));
                case "i64", "u64" -> values.add(bytes.getLong(at + 8 * row));
                case "f64" -> values.add(bytes.getDouble(at + 8 * row));
                case "text" -> {
                    int length = bytes.getInt(at + 4 * row);
                    values.add(length < 0 ? null : new String(bytes.array(), next, length, StandardCharsets.UTF_8));
                    next += Math.max(0, length);
                }
                case "f64[]" -> {
                    int length = bytes.getInt(at + 4 * row);
                    List<Double> list = new ArrayList<>();
                    for (int i = 0; i < length; i++, next += 8) {
                        list.add(bytes.getDouble(next));
                    }
                    values.add(length < 0 ? null : list);
                }
                default -> throw new AssertionError(type);
            }
        }
        return values;
    }
}
