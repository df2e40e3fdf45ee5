package io.thalweg.tables;

import io.thalweg.formats.CsvDecoder;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.LineReader;
import io.thalweg.formats.Projection;
import io.thalweg.formats.TimeForm;
import io.thalweg.model.source.Source;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of a CSV file with a header line; gzip is detected by the first bytes. */
final class CsvRows implements TableInput {
    private final Counted in;
    private final long size;
    private final LineReader lines;
    private final EventDecoder decoder;
    private long row;

    private CsvRows(Counted in, long size, LineReader lines, EventDecoder decoder) {
        this.in = in;
        this.size = size;
        this.lines = lines;
        this.decoder = decoder;
    }

    static CsvRows open(Path file, Projection projection) throws IOException {
        Counted in = new Counted(Files.newInputStream(file));
        try {
            LineReader lines = LineReader.of(in, file.toString(), Source.Format.CSV);
            return new CsvRows(in, Files.size(file), lines, new CsvDecoder(projection, header(file, lines)));
        } catch (IllegalArgumentException e) {
            in.close();
            throw new IOException(file + ": " + e.getMessage(), e);
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    /** The columns that a file names, and whether rows follow. */
    record Header(List<String> names, boolean hasRows) {}

    /** Returns the header of a file; null if it has no line. */
    static @Nullable Header header(Path file) throws IOException {
        try (LineReader lines = LineReader.open(file, Source.Format.CSV)) {
            return lines.next() ? new Header(names(file, lines), lines.next()) : null;
        }
    }

    private static List<String> header(Path file, LineReader lines) throws IOException {
        if (!lines.next()) {
            throw new IOException(file + ": holds no header line that names its columns");
        }
        return names(file, lines);
    }

    private static List<String> names(Path file, LineReader lines) throws IOException {
        try {
            return CsvDecoder.header(lines.bytes(), lines.offset(), lines.length());
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    @Override
    public int read(int most, EventColumns into) throws IOException {
        int read = 0;
        while (read < most && lines.next()) {
            if (lines.isTooLarge()) {
                into.appendTooLarge(
                        lines.bytes(),
                        lines.offset(),
                        lines.length(),
                        lines.totalLength(),
                        0,
                        row,
                        EventColumns.NO_TIMESTAMP);
            } else {
                decoder.decode(lines.bytes(), lines.offset(), lines.length(), 0, row, into);
            }
            row++;
            read++;
        }
        return read;
    }

    @Override
    public void skip(long rows) throws IOException {
        for (long skipped = 0; skipped < rows && lines.next(); skipped++) {
            row++;
        }
    }

    @Override
    public TimeForm timeForm(int column) {
        return TimeForm.UNTYPED;
    }

    @Override
    public double done() {
        return size == 0 ? 1 : Math.min(1, in.bytes / (double) size);
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }

    /** Counts the bytes read from a file, compressed or not. */
    private static final class Counted extends FilterInputStream {
        private long bytes;

        Counted(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int read = super.read();
            bytes += read < 0 ? 0 : 1;
            return read;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int read = super.read(into, offset, length);
            bytes += Math.max(0, read);
            return read;
        }
    }
}
