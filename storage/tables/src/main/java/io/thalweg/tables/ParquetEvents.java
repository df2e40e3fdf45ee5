package io.thalweg.tables;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.FieldKind;
import io.thalweg.formats.Projection;
import io.thalweg.formats.RecordOrigin;
import io.thalweg.formats.TimeForm;
import io.thalweg.formats.file.EventFile;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.source.Source;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows of a Parquet file as events: a field is the column of its path. Offsets are row numbers, from 0.
 *
 * <p><b>Times.</b> A timestamp or date that is the event time is converted to the unit of {@code event_time}, so that its view
 * reads the same time from Kafka and from files. One without a zone is in the zone of {@code event_time}; numbers are in UTC. If
 * the projection is not of views, all timestamps and dates become ISO 8601 text, with an offset if they have a zone.
 *
 * <p><b>Threads.</b> One.
 */
public final class ParquetEvents implements EventFile {
    private static final byte[] NO_BYTES = {};

    private final Path file;
    private final Projection projection;
    private final EventDecoder decoder;
    private final int rowGroups;
    private int nextGroup;
    private @Nullable ParquetRows rows;
    /** The form of the times in each column of the open row group that is converted; {@code UNTYPED} for others. */
    private final TimeForm[] converted;

    private long row;

    private ParquetEvents(Path file, Projection projection, UnaryOperator<EventDecoder> joined, int rowGroups) {
        this.file = file;
        this.projection = projection;
        this.decoder = joined.apply(this::decode);
        this.rowGroups = rowGroups;
        this.converted = new TimeForm[projection.paths().size()];
    }

    /**
     * Opens a file.
     *
     * @param joined adds lookups to a decoder
     * @throws IOException if it is not a Parquet file, or is damaged; the message names it
     */
    public static ParquetEvents open(Path file, Projection projection, UnaryOperator<EventDecoder> joined)
            throws IOException {
        try (ParquetFileReader reader = ParquetRows.file(file)) {
            return new ParquetEvents(
                    file, projection, joined, reader.getRowGroups().size());
        }
    }

    /** Returns the columns of a file that have one value per row, in the order of the file. */
    public static List<FieldPath> fields(Path file) throws IOException {
        try (ParquetFileReader reader = ParquetRows.file(file)) {
            return reader.getFileMetaData().getSchema().getColumns().stream()
                    .filter(column -> column.getMaxRepetitionLevel() == 0)
                    .map(ParquetEvents::path)
                    .toList();
        }
    }

    private static FieldPath path(ColumnDescriptor column) {
        List<String> segments = List.of(column.getPath());
        return new FieldPath(String.join(".", segments), segments);
    }

    /** Whether a file has no row. */
    public static boolean isEmpty(Path file) throws IOException {
        try (ParquetFileReader reader = ParquetRows.file(file)) {
            return reader.getRecordCount() == 0;
        }
    }

    @Override
    public boolean next(EventColumns into) throws IOException {
        while (rows == null || rows.isAtEnd()) {
            if (nextGroup == rowGroups) {
                return false;
            }
            open(nextGroup++);
        }
        try {
            decoder.decode(NO_BYTES, 0, 0, 0, row++, into);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return true;
    }

    private void open(int rowGroup) throws IOException {
        close();
        ParquetRows opened = ParquetRows.open(file, rowGroup, projection);
        rows = opened;
        for (int c = 0; c < converted.length; c++) {
            converted[c] = isConverted(c) ? opened.timeForm(c) : TimeForm.UNTYPED;
        }
    }

    private boolean isConverted(int column) {
        Source.EventTime time = projection.eventTime();
        return time == null
                || (time.field() != null
                        && projection
                                .paths()
                                .get(column)
                                .segments()
                                .equals(time.field().segments()));
    }

    /** Appends the next row; there are no bytes to decode. */
    private void decode(byte[] data, int offset, int length, RecordOrigin origin, EventColumns into) {
        ParquetRows from = rows;
        if (from == null) {
            throw new IllegalStateException("no row group is open");
        }
        into.append(data, offset, length, origin.partition(), origin.offset(), origin.timestampMs());
        try {
            from.fill(into);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (int c = 0; c < converted.length; c++) {
            if (converted[c] != TimeForm.UNTYPED && into.kind(into.size() - 1, c) == FieldKind.INTEGER) {
                convert(into.integer(into.size() - 1, c), converted[c], c, into);
            }
        }
    }

    private void convert(long ms, TimeForm form, int c, EventColumns into) {
        Source.EventTime time = projection.eventTime();
        switch (time == null ? Source.TimeUnit.ISO8601 : time.unit()) {
            case S -> into.putBinary(c, Math.floorDiv(ms, 1_000L));
            case MS -> into.putBinary(c, ms);
            case US -> into.putBinary(c, ms * 1_000);
            case NS -> into.putBinary(c, ms * 1_000_000);
            case ISO8601 -> {
                byte[] text = text(ms, form).getBytes(StandardCharsets.US_ASCII);
                into.putBytes(c, text, 0, text.length);
            }
        }
    }

    private static String text(long ms, TimeForm form) {
        Instant instant = Instant.ofEpochMilli(ms);
        return form == TimeForm.INSTANT
                ? instant.toString()
                : LocalDateTime.ofInstant(instant, ZoneOffset.UTC).toString();
    }

    @Override
    public void close() throws IOException {
        if (rows != null) {
            rows.close();
            rows = null;
        }
    }
}
