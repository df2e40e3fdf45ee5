/**
 * Messages for tests and benchmarks: a {@link io.thalweg.records.generate.RecordGenerator} makes up records of any schema, a
 * {@link io.thalweg.records.generate.MessageGenerator} encodes them with a chosen size and damages some. Both depend on a seed and
 * the number of the message only.
 */
@NullMarked
package io.thalweg.records.generate;

import org.jspecify.annotations.NullMarked;
