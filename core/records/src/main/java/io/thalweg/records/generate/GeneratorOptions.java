package io.thalweg.records.generate;

import io.thalweg.records.MessageRules;
import java.io.Serializable;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Options for generating records.
 *
 * @param size bytes of an encoded message; null for any size
 * @param nulls share of missing values of each optional field and element
 * @param collections elements of lists and entries of maps; fewer where a message would exceed its size
 * @param fields by path, {@code payload.rider.id}; the options of a list apply to its elements, those of a map to its values
 * @param rules that messages of the format obey
 */
public record GeneratorOptions(
        @Nullable Between size, double nulls, Between collections, Map<String, FieldOptions> fields, MessageRules rules)
        implements Serializable {
    public static final GeneratorOptions DEFAULT =
            new GeneratorOptions(null, 0.05, new Between(0, 5), Map.of(), MessageRules.NONE);

    public GeneratorOptions {
        fields = Map.copyOf(fields);
        FieldOptions.checkShare("nulls", nulls);
    }

    /** Returns the same options with messages of {@code min} to {@code max} bytes. */
    public GeneratorOptions withSize(int min, int max) {
        return new GeneratorOptions(new Between(min, max), nulls, collections, fields, rules);
    }

    /** Returns the same options with a share of missing values. */
    public GeneratorOptions withNulls(double share) {
        return new GeneratorOptions(size, share, collections, fields, rules);
    }

    /** Returns the same options with other sizes of lists and maps. */
    public GeneratorOptions withCollections(int min, int max) {
        return new GeneratorOptions(size, nulls, new Between(min, max), fields, rules);
    }

    /** Returns the same options with other options of fields. */
    public GeneratorOptions withFields(Map<String, FieldOptions> options) {
        return new GeneratorOptions(size, nulls, collections, options, rules);
    }

    /** Returns the same options for messages of another format. */
    public GeneratorOptions withRules(MessageRules of) {
        return new GeneratorOptions(size, nulls, collections, fields, of);
    }
}
