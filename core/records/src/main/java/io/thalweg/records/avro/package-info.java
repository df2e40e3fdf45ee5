/**
 * Avro: schemas as neutral structs, a reader of binary messages that follows a compiled resolution of two schemas, and object
 * container files. Avro's library only parses schemas, encodes defaults and writes container files.
 */
@NullMarked
package io.thalweg.records.avro;

import org.jspecify.annotations.NullMarked;
