package io.thalweg.devkit.google;

import com.google.cloud.bigquery.storage.v1.TableSchema;
import com.google.protobuf.DynamicMessage;
import java.util.ArrayList;
import java.util.List;

/**
 * A table of a {@link BigQueryFake}.
 *
 * <p><b>Threads.</b> Safe.
 */
final class FakeTable {
    private final TableSchema schema;
    private final boolean keepsRows;
    private final List<DynamicMessage> visible = new ArrayList<>();
    private long rows;
    private long bytes;

    FakeTable(TableSchema schema, boolean keepsRows) {
        this.schema = schema;
        this.keepsRows = keepsRows;
    }

    TableSchema schema() {
        return schema;
    }

    synchronized void show(List<DynamicMessage> more, long moreRows, long moreBytes) {
        if (keepsRows) {
            visible.addAll(more);
        }
        rows += moreRows;
        bytes += moreBytes;
    }

    synchronized List<DynamicMessage> visible() {
        return List.copyOf(visible);
    }

    synchronized long rows() {
        return rows;
    }

    synchronized long bytes() {
        return bytes;
    }
}
