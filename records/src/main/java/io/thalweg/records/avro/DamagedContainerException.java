package io.thalweg.records.avro;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import java.io.IOException;

/** A container file that could be read, and has no more records that can be found. */
public final class DamagedContainerException extends IOException {
    private static final long serialVersionUID = 1L;

    private final RecordFault fault;

    DamagedContainerException(RecordFault fault, String message) {
        super(message);
        this.fault = fault;
    }

    /** The same as the fault of a record: no record behind can be found. */
    public BadRecordException asBadRecord() {
        return new BadRecordException(fault, String.valueOf(getMessage()));
    }
}
