package io.thalweg.model;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * How a view's rows are kept for reading.
 *
 * @param ttl how far readers let the pipeline lag behind before they distrust what is stored
 * @param history how long older rows stay readable; null = the newest only
 */
public record Online(DurationText ttl, @Nullable DurationText history) implements Serializable {}
