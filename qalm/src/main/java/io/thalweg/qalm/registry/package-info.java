/**
 * Who calls what and how much it matters: one versioned document, from a watched file and from people, the latest edit in force.
 * Reading files needs snakeyaml-engine.
 */
@NullMarked
package io.thalweg.qalm.registry;

import org.jspecify.annotations.NullMarked;
