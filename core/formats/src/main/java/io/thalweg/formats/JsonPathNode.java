package io.thalweg.formats;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A place of a value in documents: the document itself, a member of an object, or an element of an array. Elements up to the last
 * wanted one have a node each; the others of an array share one. A node determines the containers around it, and so what may
 * follow its value; it records what did.
 */
final class JsonPathNode {
    private static final int MAX_STEPS = 8;
    private static final Step[] NONE = {};

    final @Nullable JsonPathNode parent;
    private final @Nullable JsonField wanted;
    /** The column that is filled with the value, or -1. */
    final int column;
    /** The bit of the wanted field whose value is at this place, or 0. */
    final long bit;

    final boolean isElement;
    /** The index of the first element, if the value is an array. */
    private final int index;

    final int depth;

    private final Map<String, JsonPathNode> members = new HashMap<>(4);
    private @Nullable JsonPathNode firstElement;
    private @Nullable JsonPathNode nextElement;
    private Step[] steps = NONE;

    private JsonPathNode(@Nullable JsonPathNode parent, @Nullable JsonField wanted, boolean isElement, int index) {
        this.parent = parent;
        this.wanted = wanted;
        this.isElement = isElement;
        this.index = index;
        column = wanted == null ? -1 : wanted.column();
        bit = wanted == null ? 0 : wanted.bit();
        depth = parent == null ? 0 : parent.depth + 1;
    }

    static JsonPathNode document(JsonField wanted) {
        return new JsonPathNode(null, wanted, false, 0);
    }

    /** Creates the node around a document. */
    static JsonPathNode outside() {
        return new JsonPathNode(null, null, false, 0);
    }

    /** Returns the member of that name of the object at this place, or null if it was never seen. */
    @Nullable
    JsonPathNode member(String name) {
        return members.get(name);
    }

    JsonPathNode addMember(String name) {
        JsonPathNode member = new JsonPathNode(this, wanted == null ? null : wanted.child(name), false, 0);
        members.put(name, member);
        return member;
    }

    /** Returns the first element of the array at this place. */
    JsonPathNode firstElement() {
        if (firstElement == null) {
            firstElement = elementOf(this, 0);
        }
        return firstElement;
    }

    /** Returns the element after the one at this place. */
    JsonPathNode nextElement() {
        if (nextElement == null) {
            JsonPathNode array = Objects.requireNonNull(parent);
            boolean isLast = array.wanted == null || index > array.wanted.lastElement();
            nextElement = isLast ? this : elementOf(array, index + 1);
        }
        return nextElement;
    }

    private static JsonPathNode elementOf(JsonPathNode array, int index) {
        return new JsonPathNode(array, array.wanted == null ? null : array.wanted.element(index), true, index);
    }

    /** The steps after this value that were seen before. */
    Step[] steps() {
        return steps;
    }

    /** Records a step; replaces another one if there are too many. */
    void add(Step step) {
        if (steps.length < MAX_STEPS) {
            steps = Arrays.copyOf(steps, steps.length + 1);
        }
        steps[steps.length - 1] = steps[0];
        steps[0] = step;
    }

    /**
     * The bytes from the end of one scalar value to the next, or to the document's end: white space, commas, colons,
     * names, brackets. From a given node, these bytes always lead to the same other node.
     */
    static final class Step {
        private static final VarHandle LONGS =
                MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
        private static final int[] NO_COLUMNS = {};

        final JsonPathNode target;
        /** The column of the target. */
        final int column;

        final int length;
        /** The bits of the wanted fields whose values begin on the way and at the target. */
        final long fields;

        final boolean isWanted;
        /** The columns of the fields on the way whose values are objects or arrays. */
        private final int[] containers;
        /** The step that followed this one the last time. */
        @Nullable
        Step next;

        private final long first;
        private final long firstMask;
        private final long second;
        private final long secondMask;
        private final long[] rest;
        private final long restMask;

        /** Creates a step over {@code length} bytes at {@code from}. */
        Step(byte[] bytes, int from, int length, JsonPathNode target, long fields, int[] containers) {
            this.target = target;
            this.length = length;
            this.fields = fields;
            this.containers = containers.length == 0 ? NO_COLUMNS : containers;
            isWanted = fields != 0;
            column = target.column;
            int words = Math.max(2, (length + 7) / 8);
            byte[] own = Arrays.copyOf(Arrays.copyOfRange(bytes, from, from + length), 8 * words);
            first = (long) LONGS.get(own, 0);
            firstMask = mask(length);
            second = (long) LONGS.get(own, 8);
            secondMask = mask(length - 8);
            rest = new long[words - 2];
            for (int i = 0; i < rest.length; i++) {
                rest[i] = (long) LONGS.get(own, 8 * i + 16);
            }
            restMask = mask(length - 8 * words + 8);
        }

        /** Creates the step to the beginning of a document. */
        static Step to(JsonPathNode outside) {
            return new Step(new byte[16], 0, 0, outside, 0, NO_COLUMNS);
        }

        private static long mask(int bytes) {
            return bytes <= 0 ? 0 : bytes >= 8 ? -1 : -1L >>> (64 - 8 * bytes);
        }

        void putContainers(EventColumns into) {
            for (int column : containers) {
                into.put(column, FieldKind.OTHER);
            }
        }

        /** Whether this step's bytes are at {@code from}; reads at least 16 bytes. */
        boolean matches(byte[] bytes, int from) {
            long differences = (((long) LONGS.get(bytes, from) ^ first) & firstMask)
                    | (((long) LONGS.get(bytes, from + 8) ^ second) & secondMask);
            return differences == 0 && (length <= 16 || endsSo(bytes, from + 16));
        }

        private boolean endsSo(byte[] bytes, int from) {
            int at = from;
            for (int i = 0; i < rest.length - 1; i++, at += 8) {
                if ((long) LONGS.get(bytes, at) != rest[i]) {
                    return false;
                }
            }
            return (((long) LONGS.get(bytes, at) ^ rest[rest.length - 1]) & restMask) == 0;
        }
    }
}
