package io.thalweg.model.view;

import java.util.Collections;
import java.util.List;

/** The form of a feature in the rows of a keyed view: numbers as words, the others as payload. */
public enum FeatureForm {
    /** A whole number of 64 bits. */
    INT64("int64"),
    /** A whole number of 128 bits: a sum. */
    INT128("int64"),
    DOUBLE("double"),
    /** Text; its payload is its UTF-8. */
    STRING("string"),
    /** Finite doubles; their payload is the 8 bytes of each, big-endian. */
    DOUBLE_LIST("double_list");

    private final String type;

    FeatureForm(String type) {
        this.type = type;
    }

    /** The type that readers see. */
    public String type() {
        return type;
    }

    public boolean isNumber() {
        return this == INT64 || this == INT128 || this == DOUBLE;
    }

    /** Returns the form of each of the view's features, in their order. */
    public static List<FeatureForm> of(FeatureView view) {
        if (view.isTable()) {
            return view.columns().stream().map(FeatureForm::of).toList();
        }
        return KeyedPlan.of(view).spec().measures().stream()
                .map(measure -> switch (measure.form()) {
                    case INT64 -> INT64;
                    case INT128 -> INT128;
                    case DOUBLE -> DOUBLE;
                })
                .flatMap(form -> Collections.nCopies(view.windows().sizes().size(), form).stream())
                .toList();
    }

    /** Returns the form of a column of a table. */
    public static FeatureForm of(Computation.Column column) {
        return switch (column.type()) {
            case INT64, BOOL -> INT64;
            case DOUBLE -> DOUBLE;
            case STRING -> STRING;
            case DOUBLE_LIST -> DOUBLE_LIST;
        };
    }
}
