package io.thalweg.records.avro;

import java.util.List;
import org.apache.avro.Schema;

/**
 * The possible values of a schema: null, or a value of one of several types.
 *
 * @param nullable whether null is one of them
 * @param types the other ones, none of them a union; the value is a struct of branches if there are several
 */
record Shape(boolean nullable, List<Schema> types) {
    static Shape of(Schema schema) {
        List<Schema> all = schema.getType() == Schema.Type.UNION ? schema.getTypes() : List.of(schema);
        List<Schema> types =
                all.stream().filter(type -> type.getType() != Schema.Type.NULL).toList();
        return new Shape(types.size() < all.size(), types);
    }

    boolean isStruct() {
        return types.size() > 1;
    }

    /** Returns the field name of a branch. */
    String name(int branch) {
        Schema type = types.get(branch);
        long homonyms = types.stream()
                .filter(other -> other.getName().equals(type.getName()))
                .count();
        return homonyms > 1 ? type.getFullName() : type.getName();
    }

    /** Returns the branch that accepts the values of a writer's type, which is neither a union nor null; -1 if there is none. */
    int branchFor(Schema written) {
        if (types.size() == 1) {
            return Compatibility.canRead(written, types.get(0)) ? 0 : -1;
        }
        int best = -1;
        int bestMatch = Compatibility.NO_MATCH;
        for (int i = 0; i < types.size(); i++) {
            int match = Compatibility.match(written, types.get(i));
            if (match > bestMatch) {
                best = i;
                bestMatch = match;
            }
        }
        return best;
    }
}
