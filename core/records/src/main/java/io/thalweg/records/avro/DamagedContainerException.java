package io.thalweg.records.avro;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import java.io.IOException;

/** Thrown for damage in a container file after which no further record can be found. The file itself is readable. */
public final class DamagedContainerException extends IOException {
    private static final long serialVersionUID = 1L;

    private final RecordFault fault;

    DamagedContainerException(RecordFault fault, String message) {
        super(message);
        this.fault = fault;
    }

    /** Returns the damage as the fault of a record, because no later record can be found. */
    public BadRecordException asBadRecord() {
        return new BadRecordException(fault, String.valueOf(getMessage()));
    }
}
