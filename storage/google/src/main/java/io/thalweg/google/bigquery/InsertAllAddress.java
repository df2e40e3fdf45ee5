package io.thalweg.google.bigquery;

import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.records.write.JsonBytes;
import io.thalweg.records.write.JsonLayout;
import io.thalweg.warehouse.StreamAddress;
import io.thalweg.warehouse.StreamTable;

/**
 * A table of BigQuery that is written with the older API {@code tabledata.insertAll}: JSON over HTTP, at least once. If a row is sent
 * again within about a minute, the service drops it on a best-effort basis, by the id of its message.
 *
 * @param table at least once
 */
public record InsertAllAddress(BigQueryAddress table) implements StreamAddress {
    private static final long serialVersionUID = 1L;

    private static final JsonLayout LAYOUT = new JsonLayout() {
        @Override
        public boolean mapsAreEntries() {
            return true;
        }
    };

    public InsertAllAddress {
        if (table.exactlyOnce()) {
            throw new IllegalArgumentException("insertAll cannot write exactly once");
        }
    }

    @Override
    public String name() {
        return table.name();
    }

    @Override
    public boolean exactlyOnce() {
        return false;
    }

    @Override
    public ByteRecordWriter encoder(Struct rows) {
        BigQueryColumns.check(rows);
        return new JsonBytes(rows, LAYOUT);
    }

    @Override
    public StreamTable open(Struct rows) {
        BigQueryTable.requireColumns(table, rows);
        return InsertAllTable.open(table);
    }
}
