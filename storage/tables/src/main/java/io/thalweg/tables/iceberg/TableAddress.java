package io.thalweg.tables.iceberg;

import java.io.Serializable;

/**
 * The address of a table: a value that is serialized with a job.
 *
 * @param catalog of the table
 * @param name {@code namespace.table}; namespaces may have several parts
 */
public record TableAddress(CatalogAddress catalog, String name) implements Serializable {}
