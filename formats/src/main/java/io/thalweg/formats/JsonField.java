package io.thalweg.formats;

import io.thalweg.model.FieldPath;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A name on a wanted path; the root stands for the document. Immutable once built. */
final class JsonField {
    /** More names than this have no bit each. */
    static final int MAX_BITS = Long.SIZE;

    private final Map<String, JsonField> children = new HashMap<>();
    private final int number;
    private int column = -1;

    private JsonField(int number) {
        this.number = number;
    }

    /** The tree of the fields of a projection, those of the record left out. */
    static JsonField treeOf(Projection projection) {
        JsonField root = new JsonField(0);
        int nodes = 1;
        for (int c = 0; c < projection.paths().size(); c++) {
            FieldPath path = projection.paths().get(c);
            if (!path.isRecordField()) {
                nodes = root.add(path, c, nodes);
            }
        }
        return root;
    }

    private int add(FieldPath path, int c, int nodesBefore) {
        JsonField at = this;
        int nodes = nodesBefore;
        for (String segment : path.segments()) {
            JsonField child = at.children.get(segment);
            if (child == null) {
                child = new JsonField(nodes++);
                at.children.put(segment, child);
            }
            at = child;
        }
        at.column = c;
        return nodes;
    }

    /** The column of the path that ends here, or -1. */
    int column() {
        return column;
    }

    @Nullable
    JsonField child(String name) {
        return children.get(name);
    }

    Iterable<JsonField> children() {
        return children.values();
    }

    boolean isLeaf() {
        return children.isEmpty();
    }

    /** Fields in the tree, this one included. */
    int size() {
        int size = 1;
        for (JsonField child : children.values()) {
            size += child.size();
        }
        return size;
    }

    /** A bit of its own, in a tree of at most {@value #MAX_BITS} names. */
    long bit() {
        return 1L << number;
    }
}
