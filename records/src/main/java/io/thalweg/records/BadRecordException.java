package io.thalweg.records;

/** A message that cannot be read. It has no stack trace, because bad messages may arrive at the rate of good ones. */
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

    /** A message that is not of the format. */
    public static BadRecordException undecodable(String detail) {
        return new BadRecordException(RecordFault.UNDECODABLE, detail);
    }

    /** A field with a value of another type. */
    public static BadRecordException wrongType(String field, String expected, String found) {
        return new BadRecordException(RecordFault.WRONG_TYPE, "'" + field + "' must be " + expected + ", was " + found);
    }

    public RecordFault fault() {
        return fault;
    }

    /** What was expected and found. */
    public String detail() {
        return String.valueOf(getMessage());
    }
}
