package io.thalweg.formats.lookup;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventConditions;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.FieldKind;
import io.thalweg.formats.RecordOrigin;
import java.util.List;

/** Decodes events and joins lookup tables to each event that a view may count. */
final class LookupDecoder implements EventDecoder {
    private final EventDecoder decoder;
    private final EventConditions where;
    private final Join[] joins;

    /**
     * A table and the columns that it fills, overwriting the event's own values.
     *
     * @param key the column that holds a key; an event whose key is absent, or neither text nor a number, is a miss
     * @param first the column of the table's first field; the others follow
     * @param miss what the columns contain after a miss: {@code NULL}, or {@code MISSING}, which no row contains
     */
    record Join(LookupTable table, int key, int first, FieldKind miss) {
        private void fill(EventColumns into, int e) {
            LookupRows rows = table.rows();
            into.addToken(key);
            int row =
                    isText(into.kind(e, key)) ? rows.find(into.bytes(), into.offset(e, key), into.length(e, key)) : -1;
            table.count(row >= 0);
            // The event is bad for views that use the table's fields; it must not be dropped as a miss.
            FieldKind none = into.kind(e, key) == FieldKind.INVALID_TEXT ? FieldKind.INVALID_TEXT : miss;
            for (int field = 0; field < table.fields(); field++) {
                if (row >= 0) {
                    rows.copy(row, field, into, first + field);
                } else {
                    into.put(first + field, none);
                }
            }
        }

        private static boolean isText(FieldKind kind) {
            return kind == FieldKind.STRING || kind == FieldKind.INTEGER || kind == FieldKind.DOUBLE;
        }
    }

    /**
     * Creates a decoder that joins tables one after the other.
     *
     * @param where finds events that need no table: their columns stay {@code MISSING}
     */
    LookupDecoder(EventDecoder decoder, EventConditions where, List<Join> joins) {
        this.decoder = decoder;
        this.where = where;
        this.joins = joins.toArray(new Join[0]);
    }

    @Override
    public void decode(byte[] data, int offset, int length, RecordOrigin origin, EventColumns into) {
        decoder.decode(data, offset, length, origin, into);
        int e = into.size() - 1;
        if (into.decodeReason(e) == null && !where.skips(into, e)) {
            for (Join join : joins) {
                join.fill(into, e);
            }
        }
    }
}
