package io.thalweg.model.row;

/** Whether a row may still change. Ordered: PARTIAL before FINAL. */
public enum Finality {
    PARTIAL,
    FINAL
}
