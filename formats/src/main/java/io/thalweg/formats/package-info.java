/**
 * From the bytes of events to their outcomes. The road: {@link io.thalweg.formats.LineReader} or Kafka hands out the bytes
 * of many events; an {@link io.thalweg.formats.EventDecoder} fills {@link io.thalweg.formats.EventColumns} with the fields
 * that a {@link io.thalweg.formats.Projection} names; {@link io.thalweg.formats.EventTimeReader} reads when an event
 * happened; a {@link io.thalweg.formats.view.ViewReader} per view gives the event its one {@link io.thalweg.formats.view.Outcome}.
 * A {@link io.thalweg.formats.lookup.LookupTable} adds fields on the way. {@link io.thalweg.formats.view.BatchReader} walks the whole road for bounded input.
 */
@NullMarked
package io.thalweg.formats;

import org.jspecify.annotations.NullMarked;
