package io.thalweg.formats;

import io.thalweg.model.field.FieldPath;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A segment of a wanted path; the root is the document. A segment names the member of an object. If it is a whole number
 * without leading zeros, it is also the index of an element where the value is an array. Immutable once built.
 */
final class JsonField {
    /** The maximum number of names that have a bit each. */
    static final int MAX_BITS = Long.SIZE;

    /** An index of more digits would not fit in a record. */
    private static final Pattern INDEX = Pattern.compile("0|[1-9][0-9]{0,6}");

    private final Map<String, JsonField> children = new HashMap<>();
    private final Map<Integer, JsonField> elements = new HashMap<>();
    private int lastElement = -1;
    private final int number;
    private int column = -1;

    private JsonField(int number) {
        this.number = number;
    }

    /** Builds the tree of the fields of a projection, except those of the Kafka record. */
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
                if (INDEX.matcher(segment).matches()) {
                    int index = Integer.parseInt(segment);
                    at.elements.put(index, child);
                    at.lastElement = Math.max(at.lastElement, index);
                }
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

    /** Returns the field of the element at that index, from 0, of the array at this place. */
    @Nullable
    JsonField element(int index) {
        return index > lastElement ? null : elements.get(index);
    }

    /** Returns the largest wanted index of the array at this place, or -1. */
    int lastElement() {
        return lastElement;
    }

    /** Returns the largest wanted index of any array, or -1. */
    int largestIndex() {
        int largest = lastElement;
        for (JsonField child : children.values()) {
            largest = Math.max(largest, child.largestIndex());
        }
        return largest;
    }

    Iterable<JsonField> children() {
        return children.values();
    }

    boolean isLeaf() {
        return children.isEmpty();
    }

    /** Returns the number of fields in the tree, including this one. */
    int size() {
        int size = 1;
        for (JsonField child : children.values()) {
            size += child.size();
        }
        return size;
    }

    /** A bit that is unique in a tree of at most {@value #MAX_BITS} names. */
    long bit() {
        return 1L << number;
    }
}
