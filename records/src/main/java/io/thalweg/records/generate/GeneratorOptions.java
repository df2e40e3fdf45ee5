package io.thalweg.records.generate;

import java.io.Serializable;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How records are made up.
 *
 * @param size bytes of an encoded message; null for whatever results
 * @param nulls share of missing values of each optional field and element
 * @param collections elements of lists and entries of maps; fewer where a message would exceed its size
 * @param fields by path, {@code payload.rider.id}; the options of a list count for its elements, those of a map for its values
 * @param unions paths of structs of which exactly one field has a value
 */
public record GeneratorOptions(
        @Nullable Between size, double nulls, Between collections, Map<String, FieldOptions> fields, Set<String> unions)
        implements Serializable {
    public static final GeneratorOptions DEFAULT =
            new GeneratorOptions(null, 0.05, new Between(0, 5), Map.of(), Set.of());

    public GeneratorOptions {
        fields = Map.copyOf(fields);
        unions = Set.copyOf(unions);
        FieldOptions.checkShare("nulls", nulls);
    }

    /** The same with messages of {@code min} to {@code max} bytes. */
    public GeneratorOptions withSize(int min, int max) {
        return new GeneratorOptions(new Between(min, max), nulls, collections, fields, unions);
    }

    /** The same with a share of missing values. */
    public GeneratorOptions withNulls(double share) {
        return new GeneratorOptions(size, share, collections, fields, unions);
    }

    /** The same with other sizes of lists and maps. */
    public GeneratorOptions withCollections(int min, int max) {
        return new GeneratorOptions(size, nulls, new Between(min, max), fields, unions);
    }

    /** The same with other options of fields. */
    public GeneratorOptions withFields(Map<String, FieldOptions> options) {
        return new GeneratorOptions(size, nulls, collections, options, unions);
    }

    /** The same with other unions. */
    public GeneratorOptions withUnions(Set<String> paths) {
        return new GeneratorOptions(size, nulls, collections, fields, paths);
    }
}
