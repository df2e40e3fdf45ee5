package io.thalweg.records.avro;

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

    /** What is wrong with it. */
    public RecordFault fault() {
        return fault;
    }
}
