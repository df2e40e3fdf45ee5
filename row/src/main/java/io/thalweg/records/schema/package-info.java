/** The neutral schema of records: one tree that every format's schema is converted to and every table's is derived from. */
@NullMarked
package io.thalweg.records.schema;

import org.jspecify.annotations.NullMarked;
