/** What a reader reads and where it goes: a {@link io.thalweg.records.translate.Selection} compiled against a schema. */
@NullMarked
package io.thalweg.records.translate;

import org.jspecify.annotations.NullMarked;
