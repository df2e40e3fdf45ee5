/** The neutral schema of records: a tree to which every format's schema is converted and from which every table's is derived. */
@NullMarked
package io.thalweg.records.schema;

import org.jspecify.annotations.NullMarked;
