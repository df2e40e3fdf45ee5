/**
 * JSON: schemas in JSON Schema, a strict reader of RFC 8259 that creates no object per message, and the inference of a schema
 * from samples.
 */
@NullMarked
package io.thalweg.records.json;

import org.jspecify.annotations.NullMarked;
