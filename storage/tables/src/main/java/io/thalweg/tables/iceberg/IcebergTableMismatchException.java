package io.thalweg.tables.iceberg;

import java.util.List;

/** Thrown when a table cannot accept the rows. */
public final class IcebergTableMismatchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    IcebergTableMismatchException(TableAddress address, List<String> differences) {
        super("the rows do not fit table %s in %s:\n  %s"
                .formatted(address.name(), address.catalog().text(), String.join("\n  ", differences)));
    }
}
