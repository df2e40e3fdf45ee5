package io.thalweg.warehouse;

import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.ByteRecordWriter;
import java.io.Serializable;

/** A table of a warehouse: a value that travels with the job and is opened where its tasks run. */
public interface LaneAddress extends Serializable {
    /** Identifies the table, for people. */
    String name();

    /** Whether rows become visible with a checkpoint only, and each of them once. */
    boolean exactlyOnce();

    /**
     * A writer in the encoding of the warehouse.
     *
     * @throws io.thalweg.records.schema.SchemaException if it cannot hold such rows
     */
    ByteRecordWriter encoder(Struct rows);

    /**
     * Connects to the table.
     *
     * @throws TableMismatchException if it is missing or has other columns
     * @throws WarehouseException if the warehouse refuses or does not answer
     */
    LaneTable open(Struct rows);
}
