package io.thalweg.records;

/** Thrown for a message that cannot be read. It carries no stack trace, because bad messages may arrive as fast as good ones. */
public final class BadRecordException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final RecordFault fault;

    /**
     * Creates an exception.
     *
     * @param detail what was expected, where, and what was found, without values that could be long
     */
    public BadRecordException(RecordFault fault, String detail) {
        super(detail, null, false, false);
        this.fault = fault;
    }

    /** Creates the fault of a message that is not of the format. */
    public static BadRecordException undecodable(String detail) {
        return new BadRecordException(RecordFault.UNDECODABLE, detail);
    }

    /** Creates the fault of a field that holds a value of another type. */
    public static BadRecordException wrongType(String field, String expected, String found) {
        return new BadRecordException(RecordFault.WRONG_TYPE, "'" + field + "' must be " + expected + ", was " + found);
    }

    /** Creates the fault of a text whose bytes are not UTF-8, or that contains half of a surrogate pair. */
    public static BadRecordException invalidText(String field, String found) {
        return new BadRecordException(
                RecordFault.INVALID_TEXT, "'" + field + "' must be valid Unicode text, was " + found);
    }

    public RecordFault fault() {
        return fault;
    }

    /** The description of what was expected and what was found. */
    public String detail() {
        return String.valueOf(getMessage());
    }
}
