/** Evaluation of views: the fields of an event become an {@link io.thalweg.formats.view.EventOutcome}, a key or a cell, and the values that are aggregated. */
@NullMarked
package io.thalweg.formats.view;

import org.jspecify.annotations.NullMarked;
