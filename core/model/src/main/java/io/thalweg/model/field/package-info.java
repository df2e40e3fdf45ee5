/** Fields of events, and conditions on them. */
@NullMarked
package io.thalweg.model.field;

import org.jspecify.annotations.NullMarked;
