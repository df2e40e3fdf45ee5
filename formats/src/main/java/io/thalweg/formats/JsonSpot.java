package io.thalweg.formats;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A place in documents where a value stands: the document itself, a member of an object, or any element of an array. A spot
 * fixes the containers around it, and so what may follow its value; it remembers what did, the latest first.
 */
final class JsonSpot {
    private static final int MAX_STEPS = 8;
    private static final Step[] NONE = {};

    final @Nullable JsonSpot parent;
    private final @Nullable JsonField wanted;
    /** The column that is filled with the value, or -1. */
    final int column;
    /** The bit of the wanted field whose value stands here, or 0. */
    final long bit;

    final boolean isElement;
    final int depth;

    private final Map<String, JsonSpot> members = new HashMap<>(4);
    private @Nullable JsonSpot element;
    private Step[] steps = NONE;

    private JsonSpot(@Nullable JsonSpot parent, @Nullable JsonField wanted, boolean isElement) {
        this.parent = parent;
        this.wanted = wanted;
        this.isElement = isElement;
        column = wanted == null ? -1 : wanted.column();
        bit = wanted == null ? 0 : wanted.bit();
        depth = parent == null ? 0 : parent.depth + 1;
    }

    static JsonSpot document(JsonField wanted) {
        return new JsonSpot(null, wanted, false);
    }

    /** What is around a document. */
    static JsonSpot outside() {
        return new JsonSpot(null, null, false);
    }

    /** The member of that name of the object that stands here, or null if it was never seen. */
    @Nullable
    JsonSpot member(String name) {
        return members.get(name);
    }

    JsonSpot addMember(String name) {
        JsonSpot member = new JsonSpot(this, wanted == null ? null : wanted.child(name), false);
        members.put(name, member);
        return member;
    }

    /** Any element of the array that stands here. */
    JsonSpot element() {
        if (element == null) {
            element = new JsonSpot(this, null, true);
        }
        return element;
    }

    /** The remembered step that the bytes at {@code at} take, or null. It is tried first from now on. */
    @Nullable
    Step step(byte[] bytes, int at) {
        for (int i = 0; i < steps.length; i++) {
            Step step = steps[i];
            if (step.leads(bytes, at)) {
                steps[i] = steps[0];
                steps[0] = step;
                return step;
            }
        }
        return null;
    }

    /** Remembers a step; forgets another where there are too many. */
    void add(Step step) {
        if (steps.length < MAX_STEPS) {
            steps = Arrays.copyOf(steps, steps.length + 1);
        }
        steps[steps.length - 1] = steps[0];
        steps[0] = step;
    }

    /**
     * The bytes from behind one scalar value to the next, or to the document's end: white space, commas, colons, names,
     * brackets. Taken from one spot these bytes always lead to the same other one.
     */
    static final class Step {
        private static final VarHandle LONGS =
                MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
        private static final int[] NO_COLUMNS = {};

        /** Which bytes may stand behind a step: not those of more structure. */
        private static final boolean[] BEGINS_SCALAR_OR_ENDS = new boolean[256];

        static {
            for (char c : "\"-0123456789tfn\0".toCharArray()) {
                BEGINS_SCALAR_OR_ENDS[c] = true;
            }
        }

        final JsonSpot target;
        /** That of the target. */
        final int column;

        final int length;
        /** The bits of the wanted fields whose values begin on the way and at the target. */
        final long fields;
        /** The columns of those fields on the way whose values are objects or arrays. */
        final int[] containers;
        /** The step that was taken behind this one the last time. */
        @Nullable
        Step next;

        private final long first;
        private final long firstMask;
        private final long second;
        private final long secondMask;
        private final byte[] rest;

        /** A step over {@code length} bytes at {@code from}. */
        Step(byte[] bytes, int from, int length, JsonSpot target, long fields, int[] containers) {
            this.target = target;
            this.length = length;
            this.fields = fields;
            this.containers = containers.length == 0 ? NO_COLUMNS : containers;
            column = target.column;
            byte[] own = Arrays.copyOfRange(bytes, from, from + Math.max(length, 16));
            first = (long) LONGS.get(own, 0);
            second = (long) LONGS.get(own, 8);
            firstMask = mask(length);
            secondMask = mask(length - 8);
            rest = Arrays.copyOfRange(own, 16, Math.max(length, 16));
        }

        /** The step to where a document begins. */
        static Step to(JsonSpot outside) {
            return new Step(new byte[16], 0, 0, outside, 0, NO_COLUMNS);
        }

        private static long mask(int bytes) {
            return bytes <= 0 ? 0 : bytes >= 8 ? -1 : -1L >>> (64 - 8 * bytes);
        }

        /** Whether this step's bytes stand at {@code from} and a scalar or the end may follow; 16 bytes are read at least. */
        boolean leads(byte[] bytes, int from) {
            long differences = (((long) LONGS.get(bytes, from) ^ first) & firstMask)
                    | (((long) LONGS.get(bytes, from + 8) ^ second) & secondMask);
            return differences == 0
                    && (length <= 16 || endsSo(bytes, from + 16))
                    && BEGINS_SCALAR_OR_ENDS[bytes[from + length] & 0xFF];
        }

        private boolean endsSo(byte[] bytes, int from) {
            return Arrays.equals(rest, 0, rest.length, bytes, from, Math.min(from + rest.length, bytes.length));
        }
    }
}
