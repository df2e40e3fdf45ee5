package io.thalweg.model.table;

import io.thalweg.model.view.FeatureView;
import java.io.Serializable;

/**
 * A table whose rows are served from the online store.
 *
 * @param view the served view: a keyed view whose features are columns of the table
 */
public record Materialization(FeatureView view, Table table) implements Serializable {}
