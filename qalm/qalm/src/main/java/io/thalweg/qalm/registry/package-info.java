/**
 * Who calls what and how critical it is: one versioned document, from a watched file, a control service and operators; the latest
 * edit takes effect. Needs only the JDK; {@link io.thalweg.qalm.registry.Notation} turns text into trees.
 */
@NullMarked
package io.thalweg.qalm.registry;

import org.jspecify.annotations.NullMarked;
