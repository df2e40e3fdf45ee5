package io.thalweg.tables.iceberg;

import java.io.Serializable;
import java.nio.file.Path;

/**
 * Where a table is: a value that travels with a job.
 *
 * @param warehouse the folder of all tables, absolute
 * @param name {@code namespace.table}; each part is a folder
 */
public record TableAddress(String warehouse, String name) implements Serializable {
    /** The table's own folder. */
    public Path folder() {
        return Path.of(warehouse, name.split("\\.", -1));
    }
}
