package io.thalweg.records;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What messages of a format obey beyond their neutral schema. Paths are those of fields, {@code payload.rider.id}; the elements of a
 * list and the values of a map have its path, and the keys of a map have it with {@code [key]}.
 *
 * @param unions paths of structs of which exactly one field has a value
 * @param oneofs fields of one struct, in its order, of which at most one has a value
 * @param unsigned paths of integers that are not negative, and how many bits they have: 32 or 63
 */
public record MessageRules(Set<String> unions, List<List<String>> oneofs, Map<String, Integer> unsigned)
        implements Serializable {
    public static final MessageRules NONE = new MessageRules(Set.of(), List.of(), Map.of());

    public MessageRules {
        unions = Set.copyOf(unions);
        oneofs = oneofs.stream().map(List::copyOf).toList();
        unsigned = Map.copyOf(unsigned);
    }

    /** Rules of unions alone. */
    public static MessageRules ofUnions(Set<String> paths) {
        return new MessageRules(paths, List.of(), Map.of());
    }

    /** How many bits of an integer may be set. */
    public int bits(String path) {
        return unsigned.getOrDefault(path, 64);
    }
}
