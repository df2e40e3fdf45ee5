/**
 * Thrift: schemas from IDL files, and readers of messages in the binary and the compact protocol.
 * {@link io.thalweg.records.thrift.ThriftSchema} is the entry point.
 */
@NullMarked
package io.thalweg.records.thrift;

import org.jspecify.annotations.NullMarked;
