package io.thalweg.warehouse;

import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.ByteRecordWriter;
import java.io.Serializable;

/** The address of a warehouse table. It is serialized with the job and opened where the job's tasks run. */
public interface StreamAddress extends Serializable {
    /** The name of the table, for people. */
    String name();

    /** Whether rows become visible only with a checkpoint, and exactly once. */
    boolean exactlyOnce();

    /**
     * Creates a writer in the encoding of the warehouse.
     *
     * @throws io.thalweg.records.schema.SchemaException if the warehouse cannot store such rows
     */
    ByteRecordWriter encoder(Struct rows);

    /**
     * Connects to the table.
     *
     * @throws TableMismatchException if it is missing or has other columns
     * @throws WarehouseException if the warehouse refuses or does not respond
     */
    StreamTable open(Struct rows);
}
