package io.thalweg.formats.file;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.LineReader;
import io.thalweg.formats.Projection;
import io.thalweg.model.source.Source;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads lines of JSON, or of CSV after a header. */
final class LineEvents implements EventFile {
    private final EventFiles files;
    private final LineReader lines;
    private final String name;
    private @Nullable EventDecoder decoder;

    LineEvents(EventFiles files, LineReader lines, String name) {
        this.files = files;
        this.lines = lines;
        this.name = name;
    }

    @Override
    public boolean next(EventColumns into) throws IOException {
        EventDecoder events = decoder();
        if (events == null || !lines.next()) {
            return false;
        }
        long position = files.position().applyAsLong(lines);
        if (lines.isTooLarge()) {
            into.appendTooLarge(
                    lines.bytes(),
                    lines.offset(),
                    lines.length(),
                    lines.totalLength(),
                    0,
                    position,
                    EventColumns.NO_TIMESTAMP);
        } else {
            events.decode(lines.bytes(), lines.offset(), lines.length(), 0, position, into);
        }
        return true;
    }

    /** Returns the decoder; null if the file is CSV and has no header. */
    private @Nullable EventDecoder decoder() throws IOException {
        if (decoder == null) {
            EventDecoder plain = plain();
            decoder = plain == null ? null : files.joined().apply(plain);
        }
        return decoder;
    }

    private @Nullable EventDecoder plain() throws IOException {
        Projection projection = files.projection();
        if (projection.format() != Source.Format.CSV) {
            return EventDecoder.create(projection);
        }
        if (!lines.next()) {
            return null;
        }
        try {
            List<String> header = EventDecoder.csvHeader(lines.bytes(), lines.offset(), lines.length());
            return EventDecoder.create(projection, header);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
