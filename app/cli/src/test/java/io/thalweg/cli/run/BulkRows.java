package io.thalweg.cli.run;

import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.HexRowBlock;
import java.util.List;
import java.util.stream.LongStream;

/** A view that is published, and blocks of its rows without common cells. */
final class BulkRows {
    static final int BLOCK_ROWS = 343;

    private BulkRows() {}

    /** The definition of the view, whose rows are in a topic. */
    static String yaml(String topic) {
        return """
                apiVersion: thalweg/v1
                kind: FeatureView
                name: demand
                source: {topic: events}
                entities: [{name: cell, h3: {cell: c, resolution: 9}}]
                measure: {count: all}
                rings: [0, 1]
                windows: {sizes: [1m], every: 1m}
                dead_letters: {topic: %s-dead}
                sink: {topic: %s}
                online: {ttl: 10000d}
                """.formatted(topic, topic);
    }

    /** The cell of a row; rows are numbered through all blocks. */
    static long cell(long row) {
        return 0x892a10000000000L | (row << 18) | 0x3FFFF;
    }

    /** The sums of a row. */
    private static LongStream sums(long row) {
        return LongStream.of(row % 11 + 1, row % 11 + 12);
    }

    /** A block by its number. */
    static HexRowBlock block(long number, int shard, long windowEndMs) {
        long first = number * BLOCK_ROWS;
        return new HexRowBlock(
                BlockHead.ofFinal("demand", shard, windowEndMs),
                0,
                List.of(),
                LongStream.range(first, first + BLOCK_ROWS).map(BulkRows::cell).toArray(),
                LongStream.range(first, first + BLOCK_ROWS)
                        .flatMap(BulkRows::sums)
                        .toArray(),
                null);
    }
}
