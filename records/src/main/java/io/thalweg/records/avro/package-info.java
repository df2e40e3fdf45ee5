/**
 * Avro: its schemas as neutral structs, a reader that walks binary messages along a compiled resolution of two schemas, and
 * object container files. Only the parsing of schemas uses Avro's library.
 */
@NullMarked
package io.thalweg.records.avro;

import org.jspecify.annotations.NullMarked;
