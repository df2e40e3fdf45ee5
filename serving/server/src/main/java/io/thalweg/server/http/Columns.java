package io.thalweg.server.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.linecorp.armeria.common.MediaType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * An answer in columns, specified in {@code docs/reference/http.md}: a header in JSON, then one column after the other, little-endian,
 * each at a multiple of 8 bytes.
 *
 * <p><b>Threads.</b> One.
 */
public final class Columns {
    /** The media type, without parameters. */
    public static final String NAME = "application/vnd.thalweg.columns";

    public static final MediaType TYPE = MediaType.parse(NAME);

    private static final int ALIGNMENT = 8;

    private final int rows;
    private final List<Column> columns = new ArrayList<>();

    private record Column(String name, String type, int bytes, Consumer<ByteBuffer> write) {}

    /** Writes the value of a row. */
    public interface Cell {
        void put(ByteBuffer out, int row);
    }

    /** Creates an answer without columns. */
    public Columns(int rows) {
        this.rows = rows;
    }

    /**
     * Adds a column of {@code width} bytes a row.
     *
     * @throws ArithmeticException if it does not fit into an array
     */
    public void add(String name, String type, int width, Cell cell) {
        add(name, type, Math.multiplyExact(rows, width), out -> {
            for (int row = 0; row < rows; row++) {
                cell.put(out, row);
            }
        });
    }

    /** Adds a column of this many bytes; {@code write} writes them into a buffer that is little-endian. */
    public void add(String name, String type, int bytes, Consumer<ByteBuffer> write) {
        columns.add(new Column(name, type, bytes, write));
    }

    /**
     * Returns the answer.
     *
     * @param fields of the header, besides those that describe the columns
     * @param beforeColumn called before each column; it may throw to stop
     * @throws ArithmeticException if the answer does not fit into an array
     */
    public byte[] answer(AnswerJson.Fields fields, Runnable beforeColumn) {
        byte[] header = AnswerJson.bytes(out -> {
            fields.write(out);
            describe(out);
        });
        int begin = aligned(Integer.BYTES + header.length);
        int size = begin;
        for (Column column : columns) {
            size = Math.addExact(size, aligned(column.bytes()));
        }
        ByteBuffer out = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(header.length).put(header);
        int at = begin;
        for (Column column : columns) {
            beforeColumn.run();
            out.position(at);
            column.write().accept(out);
            at += aligned(column.bytes());
        }
        return out.array();
    }

    private void describe(JsonGenerator out) throws IOException {
        out.writeNumberField("row_count", rows);
        out.writeArrayFieldStart("columns");
        int offset = 0;
        for (Column column : columns) {
            out.writeStartObject();
            out.writeStringField("name", column.name());
            out.writeStringField("type", column.type());
            out.writeNumberField("offset", offset);
            out.writeEndObject();
            offset += aligned(column.bytes());
        }
        out.writeEndArray();
    }

    /** Returns the next multiple of 8. */
    public static int aligned(int bytes) {
        return Math.addExact(bytes, ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}
