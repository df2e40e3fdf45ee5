package io.thalweg.records.thrift;

import io.thalweg.records.translate.StructPlan;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The instructions to read the fields of one struct, by field id. */
final class StructNode {
    /** Ids are looked up in an array that has at most this many entries per field, plus a few. */
    private static final int SPARSEST = 16;

    final String name;
    final StructPlan plan;
    final boolean union;

    private final int first;
    private final @Nullable Node[] dense;
    private final int[] sparseIds;
    private final Node[] sparse;

    StructNode(String name, StructPlan plan, boolean union, Map<Integer, Node> fields) {
        this.name = name;
        this.plan = plan;
        this.union = union;
        TreeMap<Integer, Node> sorted = new TreeMap<>(fields);
        this.first = sorted.isEmpty() ? 0 : sorted.firstKey();
        int range = sorted.isEmpty() ? 0 : sorted.lastKey() - first + 1;
        boolean isDense = range <= SPARSEST * (fields.size() + 4);
        this.dense = new Node[isDense ? range : 0];
        this.sparseIds = isDense
                ? new int[0]
                : sorted.keySet().stream().mapToInt(Integer::intValue).toArray();
        this.sparse = isDense ? new Node[0] : sorted.values().toArray(new Node[0]);
        if (isDense) {
            sorted.forEach((id, node) -> dense[id - first] = node);
        }
    }

    /** Returns the field with an id; null if it is not in the schema. */
    @Nullable
    Node find(int id) {
        int at = id - first;
        if (at >= 0 && at < dense.length) {
            return dense[at];
        }
        return sparse.length == 0 ? null : search(id);
    }

    private @Nullable Node search(int id) {
        int at = Arrays.binarySearch(sparseIds, id);
        return at < 0 ? null : sparse[at];
    }
}
