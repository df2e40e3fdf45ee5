/**
 * Messages for tests and benchmarks: a {@link io.thalweg.records.generate.RecordGenerator} generates records of any schema, a
 * {@link io.thalweg.records.generate.MessageGenerator} encodes them with a chosen size and damages some. Both depend only on a
 * seed and the number of the message.
 */
@NullMarked
package io.thalweg.records.generate;

import org.jspecify.annotations.NullMarked;
