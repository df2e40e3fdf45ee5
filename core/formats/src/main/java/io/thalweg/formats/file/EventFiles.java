package io.thalweg.formats.file;

import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.LineReader;
import io.thalweg.formats.Projection;
import io.thalweg.formats.RecordDecoder;
import io.thalweg.model.ingest.Ingest.Framing;
import io.thalweg.model.source.Source;
import io.thalweg.records.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Opens files of events: lines of JSON and CSV, Parquet by its name, or records that have a schema, whose framing follows from the
 * file's name.
 *
 * <p><b>Threads.</b> Safe; each opened file belongs to one thread.
 *
 * @param joined adds lookups to a decoder
 * @param position position of a line, for dead letters
 * @param recordDecoder the decoder of events that have a schema
 * @param typed opens Parquet files
 */
public record EventFiles(
        Projection projection,
        UnaryOperator<EventDecoder> joined,
        ToLongFunction<LineReader> position,
        Function<Projection, RecordDecoder> recordDecoder,
        TypedFiles typed) {
    /**
     * Returns why a file cannot be read, judging by its name; null if it can.
     *
     * @param name {@code -} for a stream
     */
    public static @Nullable String unfit(String name, Source.Encoding encoding) {
        if (!encoding.hasSchema()) {
            return null;
        }
        if (TypedFiles.isNamed(name)) {
            return name
                    + " is a Parquet file by its name, which is not read with source.schema; read it with a view of format: json";
        }
        if (name.equals("-")) {
            return "- has no name, and the framing of " + encoding.format().text()
                    + " events with a schema follows from it; name a file";
        }
        boolean container = Framing.ofName(name) == Framing.AVRO_CONTAINER;
        return container && encoding.format() != Source.Format.AVRO
                ? name + " is an Avro file by its name, but source.format is "
                        + encoding.format().text() + "; rename it if it is not"
                : null;
    }

    /**
     * Whether a file that is not Parquet has no event, neither a good nor a bad one.
     *
     * @throws IOException if it cannot be read; the message names it
     */
    public static boolean isEmpty(Path file, Source.Encoding encoding) throws IOException {
        if (encoding.hasSchema()) {
            return RecordFile.isEmpty(file, Framing.ofName(String.valueOf(file.getFileName())));
        }
        try (LineReader lines = LineReader.open(file, encoding.format())) {
            boolean hasHeader = encoding.format() == Source.Format.CSV;
            return !lines.next() || (hasHeader && !lines.next());
        }
    }

    /**
     * Opens a file.
     *
     * @throws IOException if it cannot be read; the message names it
     */
    public EventFile open(Path file) throws IOException {
        requireFit(file.toString());
        if (TypedFiles.isNamed(file.toString())) {
            return typed.open(file, projection, joined);
        }
        if (!projection.encoding().hasSchema()) {
            return new LineEvents(this, LineReader.open(file, projection.format()), file.toString());
        }
        Framing framing = Framing.ofName(String.valueOf(file.getFileName()));
        RecordDecoder decoder = recordDecoder.apply(projection);
        return new RecordEvents(RecordFile.open(file, framing, 0, Limits.DEFAULT), decoder, joined.apply(decoder));
    }

    /**
     * Reads a stream of lines, which is closed with the file.
     *
     * @param name its name in messages
     * @throws IOException if the stream cannot be read, or the format is not one of lines
     */
    public EventFile open(InputStream in, String name) throws IOException {
        requireFit("-");
        return new LineEvents(this, LineReader.of(in, name, projection.format()), name);
    }

    private void requireFit(String name) throws IOException {
        String problem = unfit(name, projection.encoding());
        if (problem != null) {
            throw new IOException(problem);
        }
    }
}
