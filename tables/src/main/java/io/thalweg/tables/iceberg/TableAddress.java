package io.thalweg.tables.iceberg;

import java.io.Serializable;

/**
 * Where a table is: a value that travels with a job.
 *
 * @param catalog that has it
 * @param name {@code namespace.table}; namespaces may have several parts
 */
public record TableAddress(CatalogAddress catalog, String name) implements Serializable {}
