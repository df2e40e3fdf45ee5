package io.thalweg.tables;

import java.util.List;
import org.apache.parquet.SemanticVersion;
import org.apache.parquet.VersionParser;
import org.apache.parquet.VersionParser.VersionParseException;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Corrects footers of parquet-mr before 1.2.9 (2013), which omits the header of a dictionary from the size of its column
 * (PARQUET-816). Reading ends with the last value, so a size that is too large does no harm.
 *
 * <p><b>Source.</b> Arrow corrects the same versions by the same number of bytes ({@code SerializedRowGroup}).
 */
final class LegacySizes {
    private static final String WRITER = "parquet-mr";
    private static final SemanticVersion CORRECT = new SemanticVersion(1, 2, 9);
    private static final int MAX_HEADER_BYTES = 100;

    private LegacySizes() {}

    /**
     * Returns a footer that was read, or one whose columns have at least their sizes.
     *
     * @param end of the file; no column ends after it
     */
    static ParquetMetadata corrected(ParquetMetadata footer, long end) {
        if (!isLegacy(footer.getFileMetaData().getCreatedBy())) {
            return footer;
        }
        List<BlockMetaData> groups =
                footer.getBlocks().stream().map(group -> corrected(group, end)).toList();
        return new ParquetMetadata(footer.getFileMetaData(), groups);
    }

    private static boolean isLegacy(@Nullable String createdBy) {
        if (createdBy == null || !createdBy.startsWith(WRITER)) {
            return false;
        }
        try {
            VersionParser.ParsedVersion writer = VersionParser.parse(createdBy);
            return !writer.hasSemanticVersion() || writer.getSemanticVersion().compareTo(CORRECT) < 0;
        } catch (VersionParseException e) {
            // The first versions did not name theirs.
            return createdBy.equals(WRITER);
        }
    }

    private static BlockMetaData corrected(BlockMetaData group, long end) {
        BlockMetaData corrected = new BlockMetaData();
        corrected.setPath(group.getPath());
        corrected.setRowCount(group.getRowCount());
        corrected.setRowIndexOffset(group.getRowIndexOffset());
        corrected.setTotalByteSize(group.getTotalByteSize());
        corrected.setOrdinal(group.getOrdinal());
        group.getColumns().forEach(column -> corrected.addColumn(corrected(column, end)));
        return corrected;
    }

    private static ColumnChunkMetaData corrected(ColumnChunkMetaData column, long end) {
        long rest = Math.max(0, end - column.getStartingPos() - column.getTotalSize());
        return ColumnChunkMetaData.get(
                column.getPath(),
                column.getPrimitiveType(),
                column.getCodec(),
                column.getEncodingStats(),
                column.getEncodings(),
                column.getStatistics(),
                column.getFirstDataPageOffset(),
                column.getDictionaryPageOffset(),
                column.getValueCount(),
                column.getTotalSize() + Math.min(rest, MAX_HEADER_BYTES),
                column.getTotalUncompressedSize());
    }
}
