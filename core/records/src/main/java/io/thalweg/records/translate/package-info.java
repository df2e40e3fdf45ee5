/** The mapping from the fields of a message to columns: a {@link io.thalweg.records.translate.Selection} compiled against a schema. */
@NullMarked
package io.thalweg.records.translate;

import org.jspecify.annotations.NullMarked;
