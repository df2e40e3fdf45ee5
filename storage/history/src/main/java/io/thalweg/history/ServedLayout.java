package io.thalweg.history;

import io.thalweg.model.view.FeatureView;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import io.thalweg.tables.FlatRows;
import java.util.ArrayList;
import java.util.List;

/** The columns of a serving log: those of a training set, and what a comparison needs. */
final class ServedLayout {
    static final String READ_AT = "read_at";
    static final String KEY_HASH = "key_hash";
    static final String SHARD = "shard";
    /** Stands for all features of a view. */
    static final String ALL = "*";

    private final String prefix;
    private final FeatureView view;

    ServedLayout(FeatureView view) {
        this.view = view;
        this.prefix = view.qualifiedName() + "__";
    }

    String status() {
        return prefix + "status";
    }

    /** Null if the answer had none. */
    String windowEnd() {
        return prefix + "window_end";
    }

    /** The fingerprint of the view that answered. */
    String definition() {
        return prefix + "definition";
    }

    /** The features that were asked, separated by commas, or {@link #ALL}. */
    String asked() {
        return prefix + "features";
    }

    String feature(String name) {
        return prefix + name;
    }

    /**
     * Returns the columns.
     *
     * @param hashed whether there are {@link #KEY_HASH} and {@link #SHARD} in place of the entities
     */
    Struct columns(boolean hashed) {
        List<Field> rows = FlatRows.columns(view).fields();
        List<String> names = view.featureNames();
        List<Field> fields = new ArrayList<>();
        fields.add(Field.required(READ_AT, FieldType.TIMESTAMP));
        if (hashed) {
            fields.add(Field.required(KEY_HASH, FieldType.TEXT));
            fields.add(Field.required(SHARD, FieldType.INT32));
        } else {
            fields.addAll(rows.subList(0, view.entities().size()));
        }
        fields.add(Field.required(status(), FieldType.TEXT));
        fields.add(Field.optional(windowEnd(), FieldType.TIMESTAMP));
        fields.add(Field.required(definition(), FieldType.TEXT));
        fields.add(Field.required(asked(), FieldType.TEXT));
        for (Field feature : rows.subList(rows.size() - names.size(), rows.size())) {
            fields.add(Field.optional(feature(feature.name()), feature.type()));
        }
        return new Struct(fields);
    }
}
