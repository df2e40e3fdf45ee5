package io.thalweg.records;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rules that messages of a format obey beyond their neutral schema. A path names a field, such as {@code payload.rider.id}.
 * The elements of a list and the values of a map share the path of the list or map; the keys of a map append {@code [key]} to it.
 *
 * @param unions paths of structs of which exactly one field has a value
 * @param oneofs fields of one struct, in its order, of which at most one has a value
 * @param unsigned paths of integers that are not negative, with their number of bits: 32 or 63
 */
public record MessageRules(Set<String> unions, List<List<String>> oneofs, Map<String, Integer> unsigned)
        implements Serializable {
    public static final MessageRules NONE = new MessageRules(Set.of(), List.of(), Map.of());

    public MessageRules {
        unions = Set.copyOf(unions);
        oneofs = oneofs.stream().map(List::copyOf).toList();
        unsigned = Map.copyOf(unsigned);
    }

    /** Creates rules that contain only unions. */
    public static MessageRules ofUnions(Set<String> paths) {
        return new MessageRules(paths, List.of(), Map.of());
    }

    /** Returns how many bits of an integer may be set; 64 unless it is unsigned. */
    public int bits(String path) {
        return unsigned.getOrDefault(path, 64);
    }
}
