/** Reads Protocol Buffers along descriptor sets: their wire format, with the rules of proto2 and proto3, without generated code. */
@NullMarked
package io.thalweg.records.proto;

import org.jspecify.annotations.NullMarked;
