package io.thalweg.formats;

import java.util.List;

/**
 * Decodes events into the columns of a {@link Projection}. An event that cannot be decoded is appended all the same, with
 * {@link EventColumns#decodeReason} and {@link EventColumns#decodeError}: no bytes make a decoder throw.
 *
 * <p><b>JSON.</b> One object per record, well-formed as a whole even where fields are projected away, white space around
 * it, valid UTF-8 throughout, at most {@value #MAX_DEPTH} levels deep. Of duplicate keys the last counts. A lone surrogate
 * escape in text reads as U+FFFD. A segment of a path that is a whole number is an index where the value is an array.
 *
 * <p><b>CSV.</b> RFC 4180 with commas; a record has as many fields as the header; an empty field is missing; all values are
 * text. A dotted path names the column of that name.
 *
 * <p><b>Avro, Thrift, Protocol Buffers,</b> and JSON with a schema: see {@link RecordDecoder}.
 *
 * <p><b>Threads.</b> One.
 */
public interface EventDecoder {
    /** A record larger than this is bad, {@code too_large}, and never parsed. */
    int MAX_RECORD_BYTES = 1 << 20;

    /** How deep JSON may nest, the root object included. */
    int MAX_DEPTH = 1000;

    /**
     * Appends one event to {@code into}.
     *
     * @param data stays untouched for as long as the batch is read
     * @param origin read during the call only
     */
    void decode(byte[] data, int offset, int length, RecordOrigin origin, EventColumns into);

    /** Appends one event that has neither key nor headers, nor a timestamp of its own: one of a file. */
    default void decode(byte[] data, int offset, int length, int partition, long recordOffset, EventColumns into) {
        decode(data, offset, length, RecordOrigin.of(partition, recordOffset), into);
    }

    /**
     * The decoder for the format of {@code projection}.
     *
     * @param header the names of the columns, for CSV; otherwise ignored
     * @throws IllegalArgumentException if the format is CSV and the header is empty or names a column twice
     */
    static EventDecoder create(Projection projection, List<String> header) {
        if (projection.encoding().hasSchema()) {
            return RecordDecoder.create(projection);
        }
        return switch (projection.format()) {
            case JSON -> JsonDecoder.scanning(projection);
            case CSV -> new CsvDecoder(projection, header);
            case AVRO, THRIFT, PROTOBUF ->
                throw new IllegalArgumentException(projection.format().text() + " events need a schema");
        };
    }

    /** The decoder for a format that needs no header: all but CSV. */
    static EventDecoder create(Projection projection) {
        return create(projection, List.of());
    }

    /**
     * The decoder that reads every JSON event with the full parser, as {@link #create} does where it takes no short cut.
     * Same results, slower: what {@code create} is tested and measured against.
     */
    static EventDecoder createParsing(Projection projection) {
        return JsonDecoder.parsing(projection);
    }

    /**
     * The column names of a CSV header line.
     *
     * @throws IllegalArgumentException if the line is not UTF-8 or ends inside quotes
     */
    static List<String> csvHeader(byte[] data, int offset, int length) {
        return CsvDecoder.header(data, offset, length);
    }
}
