package io.thalweg.model;

import java.io.Serializable;

/**
 * A table whose rows are to be read from the online store.
 *
 * @param view what is served: a keyed view whose features are columns of the table
 */
public record Materialization(FeatureView view, Table table) implements Serializable {}
