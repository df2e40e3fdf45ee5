/**
 * Turns the bytes of events into outcomes. {@link io.thalweg.formats.LineReader} or Kafka provides the bytes of many events; an
 * {@link io.thalweg.formats.EventDecoder} fills {@link io.thalweg.formats.EventColumns} with the fields that a {@link
 * io.thalweg.formats.Projection} names; {@link io.thalweg.formats.EventTimeReader} reads when an event happened; a {@link
 * io.thalweg.formats.view.ViewReader} per view assigns the event its one {@link io.thalweg.formats.view.EventOutcome}. A {@link
 * io.thalweg.formats.lookup.LookupTable} adds fields on the way. {@link io.thalweg.formats.view.BatchReader} runs all steps for
 * bounded input.
 */
@NullMarked
package io.thalweg.formats;

import org.jspecify.annotations.NullMarked;
