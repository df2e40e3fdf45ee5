package io.thalweg.formats;

import java.util.List;

/**
 * Decodes events into the columns of a {@link Projection}. An event that cannot be decoded is still appended, with {@link
 * EventColumns#decodeReason} and {@link EventColumns#decodeError}: no input makes a decoder throw.
 *
 * <p><b>JSON.</b> One object per record, well-formed as a whole even where fields are projected away, white space around it,
 * valid UTF-8 throughout, at most {@value #MAX_DEPTH} levels deep. The last of duplicate keys wins. Text that
 * escapes half of a surrogate pair is {@link FieldKind#INVALID_TEXT}. A segment of a path that is a whole number is an index where the value is an array.
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

    /** The maximum nesting depth of JSON, including the root object. */
    int MAX_DEPTH = 1000;

    /**
     * Appends one event to {@code into}.
     *
     * @param data must not be modified as long as the batch is read
     * @param origin read during the call only
     */
    void decode(byte[] data, int offset, int length, RecordOrigin origin, EventColumns into);

    /** Appends one event without key, headers and timestamp, such as that of a file. */
    default void decode(byte[] data, int offset, int length, int partition, long recordOffset, EventColumns into) {
        decode(data, offset, length, RecordOrigin.of(partition, recordOffset), into);
    }

    /**
     * Creates the decoder for the format of {@code projection}.
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

    /** Creates the decoder for a format that needs no header: all except CSV. */
    static EventDecoder create(Projection projection) {
        return create(projection, List.of());
    }

    /**
     * Creates a decoder that reads every JSON event with the full parser, without the fast path of {@link #create}. The results
     * are the same; {@code create} is tested and measured against it.
     */
    static EventDecoder createParsing(Projection projection) {
        return JsonDecoder.parsing(projection);
    }

    /**
     * Parses the column names of a CSV header line.
     *
     * @throws IllegalArgumentException if the line is not UTF-8 or ends inside quotes
     */
    static List<String> csvHeader(byte[] data, int offset, int length) {
        return CsvDecoder.header(data, offset, length);
    }
}
