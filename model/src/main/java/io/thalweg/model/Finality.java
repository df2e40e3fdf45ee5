package io.thalweg.model;

/** Whether a row may still change. Ordered: PARTIAL before FINAL. */
public enum Finality {
    PARTIAL,
    FINAL
}
