package io.thalweg.formats;

import org.jspecify.annotations.Nullable;

/** Decodes events and joins a lookup table to each. */
final class LookupDecoder implements EventDecoder {
    private final EventDecoder decoder;
    private final LookupTable table;
    private final int key;
    private final int first;
    private final int fields;
    private final FieldKind miss;

    LookupDecoder(EventDecoder decoder, LookupTable table, int key, int first, FieldKind miss) {
        this.decoder = decoder;
        this.table = table;
        this.key = key;
        this.first = first;
        this.fields = table.fields();
        this.miss = miss;
    }

    @Override
    public void decode(
            byte[] data,
            int offset,
            int length,
            int partition,
            long recordOffset,
            long recordTimestampMs,
            byte @Nullable [] recordKey,
            RecordHeaders headers,
            EventColumns into) {
        decoder.decode(data, offset, length, partition, recordOffset, recordTimestampMs, recordKey, headers, into);
        int e = into.size() - 1;
        if (into.decodeReason(e) == null) {
            join(into, e);
        }
    }

    private void join(EventColumns into, int e) {
        LookupRows rows = table.rows();
        int row = isText(into.kind(e, key)) ? rows.find(into.bytes(), into.offset(e, key), into.length(e, key)) : -1;
        table.count(row >= 0);
        for (int field = 0; field < fields; field++) {
            if (row >= 0) {
                rows.copy(row, field, into, first + field);
            } else {
                into.put(first + field, miss);
            }
        }
    }

    private static boolean isText(FieldKind kind) {
        return kind == FieldKind.STRING || kind == FieldKind.INTEGER || kind == FieldKind.DOUBLE;
    }
}
