package io.thalweg.pipelinetest;

import io.thalweg.model.row.Progress;
import io.thalweg.model.row.ProgressJson;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCodec;
import io.thalweg.model.row.RowJson;
import io.thalweg.model.view.FeatureView;
import io.thalweg.pipelinetest.PublishTest.TopicRecord;
import java.io.ByteArrayOutputStream;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads the rows of a view from records of its topic, which are {@code packed} or {@code json}. */
final class TopicRows {
    private static final byte JSON = '{';

    private TopicRows() {}

    /** Returns the rows of all records, as lines of JSON in the form for files. */
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

    /** Returns a record of a view's job, which is written when its window has ended. */
    static TopicRecord record(FeatureView view, byte[] value) {
        Progress progress = value[0] == JSON ? ProgressJson.parse(value) : null;
        long endMs = progress == null ? block(view, value).windowEndMs() : progress.windowEndMs();
        return new TopicRecord(endMs, endMs, value);
    }

    /** Returns the entities of all rows, each once. Records that are not rows are skipped. */
    static List<Map<String, Object>> entities(FeatureView view, List<TopicRecord> records) {
        RowJson json = RowJson.of(view);
        Set<Map<String, Object>> entities = new LinkedHashSet<>();
        for (TopicRecord record : records) {
            try {
                byte[] value = record.value();
                if (value.length > 0 && (value[0] != JSON || ProgressJson.parse(value) == null)) {
                    RowBlock block = block(view, value);
                    for (int row = 0; row < block.rows(); row++) {
                        entities.add(json.parse(json.value(block, row)).entities());
                    }
                }
            } catch (IllegalArgumentException e) {
                // A dead letter.
            }
        }
        return List.copyOf(entities);
    }

    private static RowBlock block(FeatureView view, byte[] value) {
        return value[0] == JSON
                ? RowJson.of(view).decodeBlock(value)
                : RowCodec.of(view).decodeBlock(value);
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
