package io.thalweg.cli.test;

import io.thalweg.model.FeatureView;
import io.thalweg.model.row.ProgressJson;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCodec;
import io.thalweg.model.row.RowJson;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Set;

/** Reads the rows of a view from records of its topic, which are {@code packed} or {@code json}. */
final class TopicRows {
    private static final byte JSON = '{';

    private TopicRows() {}

    /** The rows of all records, as lines of JSON in the form for files. */
    static RowLedger ledger(FeatureView view, List<byte[]> records) {
        RowLedger ledger = new RowLedger(view, Set.of());
        RowJson json = RowJson.of(view);
        RowCodec packed = RowCodec.of(view);
        for (byte[] record : records) {
            boolean text = record[0] == JSON;
            if (!text || ProgressJson.parse(record) == null) {
                write(text ? json.decodeBlock(record) : packed.decodeBlock(record), json, ledger);
            }
        }
        return ledger;
    }

    private static void write(RowBlock block, RowJson json, RowLedger ledger) {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (int row = 0; row < block.rows(); row++) {
            json.write(block, row, lines);
            lines.write('\n');
        }
        ledger.write(lines.toByteArray(), 0, lines.size());
    }
}
