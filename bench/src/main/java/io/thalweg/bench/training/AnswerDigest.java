package io.thalweg.bench.training;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.LeafColumn;
import io.thalweg.records.generate.SplitMix;
import io.thalweg.tables.ParquetColumns;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What is in a training set, regardless of the order of its rows: for each feature, the sum of a hash of each label's number and its
 * value, bit for bit; a null is a value of its own.
 *
 * @param rows the number of labels
 * @param nonZero the number of values above zero
 * @param sums by feature
 */
record AnswerDigest(long rows, long nonZero, List<Long> sums) {
    /** The hash of a null: no double has these bits, a NaN that Java does not make. */
    private static final long NULL = 0x7FF8_DEAD_0000_0001L;

    /**
     * Reads a training set.
     *
     * @param label the column of the labels' numbers
     * @param features columns of doubles
     */
    static AnswerDigest of(Path file, String label, List<String> features) throws IOException {
        List<String> names = Stream.concat(Stream.of(label), features.stream()).toList();
        long[] sums = new long[features.size()];
        long rows = 0;
        long nonZero = 0;
        try (ParquetColumns columns = ParquetColumns.open(file, names, ParquetColumns.RowGroupFilter.ALL)) {
            for (ColumnBatch batch = columns.next(); batch != null; batch = columns.next()) {
                long[] labels = bits(batch.leaves().get(0), batch.rows());
                for (int i = 0; i < sums.length; i++) {
                    long[] values = bits(batch.leaves().get(i + 1), batch.rows());
                    for (int row = 0; row < values.length; row++) {
                        sums[i] += SplitMix.hash(labels[row], values[row]);
                        nonZero += values[row] != 0 && values[row] != NULL ? 1 : 0;
                    }
                }
                rows += batch.rows();
            }
        }
        return new AnswerDigest(
                rows, nonZero, java.util.Arrays.stream(sums).boxed().toList());
    }

    private static long[] bits(LeafColumn leaf, int rows) {
        long[] bits = new long[rows];
        int value = 0;
        for (int row = 0; row < rows; row++) {
            bits[row] = leaf.definition(row) == leaf.maxDefinition() ? leaf.longAt(value++) : NULL;
        }
        return bits;
    }

    /** Returns how this differs from what is expected; empty if it does not. */
    String difference(AnswerDigest expected, List<String> features) {
        if (rows != expected.rows) {
            return "%d labels instead of %d".formatted(rows, expected.rows);
        }
        List<String> different = Stream.iterate(0, i -> i < features.size(), i -> i + 1)
                .filter(i -> !sums.get(i).equals(expected.sums.get(i)))
                .map(features::get)
                .toList();
        return different.isEmpty()
                ? ""
                : "%d of %d features differ, such as %s".formatted(different.size(), features.size(), different.get(0));
    }
}
