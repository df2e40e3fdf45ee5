package io.thalweg.google.bigquery;

import io.thalweg.warehouse.EncodedRows;
import io.thalweg.warehouse.EncodedRows.Origin;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The body of a request of {@code tabledata.insertAll}. The id of a row consists of its message's origin and the row's number within
 * the message, so that it is the same whenever the message is read.
 */
final class InsertAllBody {
    private static final byte[] HEAD = ascii("{\"rows\":[");
    private static final byte[] TAIL = ascii("]}");
    private static final int BYTES_AROUND_A_ROW = 64;

    private InsertAllBody() {}

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns a body with the rows of these numbers, which are JSON objects. */
    static byte[] of(EncodedRows rows, List<Integer> numbers) {
        int first = numbers.get(0);
        int last = numbers.get(numbers.size() - 1);
        ByteArrayOutputStream body =
                new ByteArrayOutputStream(rows.bytes(first, last + 1) + numbers.size() * BYTES_AROUND_A_ROW);
        body.writeBytes(HEAD);
        for (int i = 0; i < numbers.size(); i++) {
            int row = numbers.get(i);
            body.writeBytes(ascii((i == 0 ? "" : ",") + "{\"insertId\":\"" + id(rows, row) + "\",\"json\":"));
            body.write(rows.data(), rows.from(row), rows.bytes(row, row + 1));
            body.write('}');
        }
        body.writeBytes(TAIL);
        return body.toByteArray();
    }

    /** Derives the id of a row: rows of one message follow each other in one batch. */
    private static String id(EncodedRows rows, int row) {
        Origin origin = rows.origin(row);
        int earlier = row;
        while (earlier > 0 && rows.origin(earlier - 1).equals(origin)) {
            earlier--;
        }
        return Integer.toHexString(origin.source().hashCode()) + "." + origin.partition() + "." + origin.position()
                + "." + origin.index() + "." + (row - earlier);
    }
}
