/**
 * Writers of messages: {@link io.thalweg.records.write.ByteRecordWriter}s encode the fields of one record as a message of Thrift,
 * Avro, JSON or Protocol Buffers. The fields may arrive in any order; the bytes are always the same.
 */
@NullMarked
package io.thalweg.records.write;

import org.jspecify.annotations.NullMarked;
