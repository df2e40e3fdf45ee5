package io.thalweg.server.region;

import io.thalweg.model.row.CellText;
import io.thalweg.model.row.DoubleValues;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.ReadOutcome;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.read.ReadAnswer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a scan in any protocol. Times are epoch ms.
 *
 * @param features names, in the order of the values
 * @param groups values of the entities besides the cell, to which rows refer
 * @param cells of the region
 * @param keys cells times groups
 * @param counts keys by status; they add up to {@code keys}
 * @param rest the outcome of every key without a row here, unless top left its row out
 * @param nowMs from which ages are counted
 */
record ScanAnswer(
        FeatureView view,
        OptionalLong watermarkMs,
        List<String> features,
        List<List<Object>> groups,
        long cells,
        long keys,
        Map<ReadStatus, Long> counts,
        ReadOutcome rest,
        ScanRows rows,
        long nowMs) {
    /** The values of a row's key, by entity name and in the order of the entities. */
    Map<String, Object> entities(int row) {
        return entities(CellText.format(rows.cell(row)), groups.get(rows.group(row)));
    }

    private Map<String, Object> entities(@Nullable String cell, List<Object> group) {
        Map<String, Object> entities = new LinkedHashMap<>();
        int next = 0;
        for (Entity entity : view.entities()) {
            if (!(entity instanceof Entity.Cell)) {
                entities.put(entity.name(), group.get(next++));
            } else if (cell != null) {
                entities.put(entity.name(), cell);
            }
        }
        return entities;
    }

    /** The values of a group, by entity name. */
    Map<String, Object> group(List<Object> group) {
        return entities(null, group);
    }

    /** Returns a row that is not aggregated in the form of a read. */
    ReadAnswer.Row row(int row) {
        return new ReadAnswer.Row(
                entities(row),
                rows.status(row),
                rows.finality(row),
                end(rows.endMs(row)),
                age(rows.endMs(row)),
                rows.status(row) == ReadStatus.PRESENT ? values(row) : null);
    }

    private static OptionalLong end(long endMs) {
        return endMs == ReadOutcome.NONE ? OptionalLong.empty() : OptionalLong.of(endMs);
    }

    private OptionalLong age(long endMs) {
        return endMs == ReadOutcome.NONE ? OptionalLong.empty() : OptionalLong.of(nowMs - endMs);
    }

    /** The values of a row. */
    DoubleValues values(int row) {
        double[] values = new double[features.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = rows.value(row, i);
        }
        return new DoubleValues(values);
    }

    /** FINAL if the values of the rest are known, because they are all zero; otherwise null. */
    @Nullable
    Finality restFinality() {
        return rest.status() == ReadStatus.ZERO ? Finality.FINAL : null;
    }

    OptionalLong restEndMs() {
        return end(rest.windowEndMs());
    }

    OptionalLong restAgeMs() {
        return age(rest.windowEndMs());
    }
}
