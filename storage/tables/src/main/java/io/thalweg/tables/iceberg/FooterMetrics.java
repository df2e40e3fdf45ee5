package io.thalweg.tables.iceberg;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.iceberg.Metrics;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;

/**
 * Converts the column statistics of a Parquet footer to the form that Iceberg stores with the file, so that readers can skip files.
 * Bounds are kept for numbers, dates and times outside of lists and maps; bounds of text would have to be truncated.
 */
final class FooterMetrics {
    private final Map<Integer, Long> sizes = new HashMap<>();
    private final Map<Integer, Long> values = new HashMap<>();
    private final Map<Integer, Long> nulls = new HashMap<>();
    private final Map<Integer, Statistics<?>> bounds = new HashMap<>();
    /** Columns for which a row group lacks bounds or the count of nulls. */
    private final Set<Integer> unknown = new HashSet<>();

    private FooterMetrics() {}

    static Metrics of(ParquetMetadata footer) {
        FooterMetrics metrics = new FooterMetrics();
        MessageType schema = footer.getFileMetaData().getSchema();
        long rows = 0;
        for (BlockMetaData group : footer.getBlocks()) {
            rows += group.getRowCount();
            for (ColumnChunkMetaData column : group.getColumns()) {
                metrics.add(schema, column);
            }
        }
        metrics.bounds.keySet().removeAll(metrics.unknown);
        // Parquet's plain encoding of these types is the same as Iceberg's.
        return new Metrics(
                rows,
                metrics.sizes,
                metrics.values,
                metrics.nulls,
                null,
                metrics.bounds(Statistics::getMinBytes),
                metrics.bounds(Statistics::getMaxBytes));
    }

    private Map<Integer, ByteBuffer> bounds(Function<Statistics<?>, byte[]> bound) {
        Map<Integer, ByteBuffer> bytes = new HashMap<>();
        bounds.forEach((id, statistics) -> bytes.put(id, ByteBuffer.wrap(bound.apply(statistics))));
        return bytes;
    }

    /** Returns the positions of the file's row groups. */
    static List<Long> splitOffsets(ParquetMetadata footer) {
        return footer.getBlocks().stream()
                .map(BlockMetaData::getStartingPos)
                .sorted()
                .toList();
    }

    private void add(MessageType schema, ColumnChunkMetaData column) {
        PrimitiveType type = column.getPrimitiveType();
        int id = type.getId().intValue();
        sizes.merge(id, column.getTotalSize(), Long::sum);
        if (schema.getMaxRepetitionLevel(column.getPath().toArray()) > 0) {
            return;
        }
        values.merge(id, column.getValueCount(), Long::sum);
        Statistics<?> statistics = column.getStatistics();
        if (statistics.isNumNullsSet()) {
            nulls.merge(id, statistics.getNumNulls(), Long::sum);
        }
        if (!isNumber(type)) {
            return;
        }
        if (statistics.hasNonNullValue()) {
            bounds.merge(id, statistics.copy(), (all, more) -> {
                all.mergeStatistics(more);
                return all;
            });
        } else if (statistics.getNumNulls() != column.getValueCount()) {
            unknown.add(id);
        }
    }

    private static boolean isNumber(PrimitiveType type) {
        return switch (type.getPrimitiveTypeName()) {
            case BOOLEAN, INT32, INT64, FLOAT, DOUBLE -> true;
            default -> false;
        };
    }
}
