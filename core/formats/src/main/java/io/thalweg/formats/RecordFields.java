package io.thalweg.formats;

import io.thalweg.model.field.FieldPath;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fills the columns of fields of the Kafka record rather than of its value: {@code $key $timestamp $partition
 * $headers.x}.
 */
final class RecordFields {
    private record Column(int column, FieldPath path) {}

    private final List<Column> columns = new ArrayList<>();

    RecordFields(Projection projection) {
        for (int c = 0; c < projection.paths().size(); c++) {
            FieldPath path = projection.paths().get(c);
            if (path.isRecordField()) {
                columns.add(new Column(c, path));
            }
        }
    }

    void fill(EventColumns into, RecordOrigin origin) {
        for (int i = 0; i < columns.size(); i++) {
            int c = columns.get(i).column();
            List<String> segments = columns.get(i).path().segments();
            int e = into.size() - 1;
            switch (segments.get(0)) {
                case "$key" -> text(into, c, origin.key(), FieldKind.NULL);
                case "$headers" -> text(into, c, origin.last(segments.get(1)), FieldKind.MISSING);
                case "$partition" -> into.putInteger(c, into.partition(e));
                case "$timestamp" -> {
                    if (into.recordTimestampMs(e) != EventColumns.NO_TIMESTAMP) {
                        into.putInteger(c, into.recordTimestampMs(e));
                    }
                }
                default -> into.put(c, FieldKind.MISSING);
            }
        }
    }

    private static void text(EventColumns into, int c, byte @Nullable [] bytes, FieldKind absent) {
        if (bytes == null) {
            into.put(c, absent);
        } else {
            into.putText(c, bytes);
        }
    }
}
