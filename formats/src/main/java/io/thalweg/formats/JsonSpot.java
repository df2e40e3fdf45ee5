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

    /** Where a document begins or ends: no value stands there. */
    static JsonSpot bound() {
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
            if (step.matches(bytes, at) && isScalarOrEnd(bytes[at + step.length])) {
                steps[i] = steps[0];
                steps[0] = step;
                return step;
            }
        }
        return null;
    }

    /** Whether such a byte may stand behind a step: it may not if more structure follows. */
    private static boolean isScalarOrEnd(byte b) {
        return b == '"' || (b >= '-' && b <= '9') || b == 't' || b == 'f' || b == 'n' || b == 0;
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

        final JsonSpot target;
        final int length;
        /** The bits of the wanted fields whose values begin on the way and at the target. */
        final long fields;
        /** The columns of those fields on the way whose values are objects or arrays. */
        final int[] containers;

        private final long[] words;
        private final long lastMask;

        /** A step over {@code length} bytes, at least one, at {@code from}. */
        Step(byte[] bytes, int from, int length, JsonSpot target, long fields, int[] containers) {
            this.target = target;
            this.length = length;
            this.fields = fields;
            this.containers = containers.length == 0 ? NO_COLUMNS : containers;
            byte[] padded = Arrays.copyOf(Arrays.copyOfRange(bytes, from, from + length), (length + 7) & ~7);
            words = new long[padded.length / 8];
            for (int i = 0; i < words.length; i++) {
                words[i] = (long) LONGS.get(padded, 8 * i);
            }
            lastMask = -1L >>> (8 * (padded.length - length));
        }

        /** Whether these bytes stand at {@code from}; up to seven more are read. */
        boolean matches(byte[] bytes, int from) {
            int last = words.length - 1;
            int at = from;
            for (int i = 0; i < last; i++, at += 8) {
                if ((long) LONGS.get(bytes, at) != words[i]) {
                    return false;
                }
            }
            return (((long) LONGS.get(bytes, at) ^ words[last]) & lastMask) == 0;
        }
    }
}
