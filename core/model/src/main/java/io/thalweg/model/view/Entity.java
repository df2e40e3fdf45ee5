package io.thalweg.model.view;

import io.thalweg.model.field.FieldPath;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/** A join key of a view. */
public sealed interface Entity extends Serializable {
    /** The key's name in rows and requests. */
    String name();

    /**
     * A hexagon. Either {@code lat} and {@code lng} name coordinate fields (degrees), or {@code cell} names a field that
     * holds the cell itself (hex text or a number).
     *
     * @param resolution H3 resolution, 0 to 15
     */
    record Cell(
            String name,
            @Nullable FieldPath lat,
            @Nullable FieldPath lng,
            @Nullable FieldPath cell,
            int resolution) implements Entity {}

    /** A field's unchanged value. */
    record Field(String name, FieldPath field, ValueType type) implements Entity {}
}
