/**
 * Records of any format on their way to tables and topics. A {@link io.thalweg.records.RecordReader} walks the bytes of one
 * message and reports its fields to a {@link io.thalweg.records.RecordWriter}; no object is created per message.
 */
@NullMarked
package io.thalweg.records;

import org.jspecify.annotations.NullMarked;
