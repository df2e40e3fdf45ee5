package io.thalweg.formats;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The fields of one CSV record as slices: of the record itself, or of a copy if doubled quotes were unescaped. */
final class CsvFields {
    private byte[] record = new byte[0];
    private byte[] unquoted = new byte[256];
    private int unquotedLength;
    private int count;
    private int[] offsets = new int[16];
    private int[] lengths = new int[16];
    private boolean[] copied = new boolean[16];

    /** Splits a record; returns what is wrong with it, or null. */
    @Nullable
    String split(byte[] data, int offset, int length) {
        record = data;
        count = 0;
        unquotedLength = 0;
        int end = offset + length;
        int at = offset;
        while (true) {
            boolean quoted = at < end && data[at] == '"';
            int next = quoted ? quotedField(data, at + 1, end) : plainField(data, at, end);
            if (next < 0) {
                return "field %d of a CSV record: %s".formatted(count + 1, describe(next));
            }
            if (next == end) {
                return null;
            }
            at = next + 1;
        }
    }

    int count() {
        return count;
    }

    byte[] bytes(int field) {
        return copied[field] ? unquoted : record;
    }

    int offset(int field) {
        return offsets[field];
    }

    int length(int field) {
        return lengths[field];
    }

    private static final int OPEN_QUOTE = -1;
    private static final int TEXT_BEHIND_QUOTE = -2;
    private static final int QUOTE_IN_PLAIN = -3;

    private static String describe(int error) {
        return switch (error) {
            case OPEN_QUOTE -> "a quoted field must end with a quote, the record ends before";
            case TEXT_BEHIND_QUOTE -> "behind the closing quote must stand a comma or the end";
            default -> "a quote inside a field needs the field to be quoted and the quote doubled";
        };
    }

    private int plainField(byte[] data, int from, int end) {
        int at = from;
        while (at < end && data[at] != ',') {
            if (data[at] == '"') {
                return QUOTE_IN_PLAIN;
            }
            at++;
        }
        add(from, at - from, false);
        return at;
    }

    private int quotedField(byte[] data, int from, int end) {
        int begin = unquotedLength;
        boolean doubled = false;
        int run = from;
        for (int at = from; at < end; at++) {
            if (data[at] != '"') {
                continue;
            }
            if (at + 1 < end && data[at + 1] == '"') {
                copy(data, run, at + 1);
                doubled = true;
                run = at + 2;
                at++;
                continue;
            }
            if (at + 1 < end && data[at + 1] != ',') {
                return TEXT_BEHIND_QUOTE;
            }
            if (doubled) {
                copy(data, run, at);
                add(begin, unquotedLength - begin, true);
            } else {
                add(from, at - from, false);
            }
            return at + 1;
        }
        return OPEN_QUOTE;
    }

    private void copy(byte[] data, int from, int to) {
        int length = to - from;
        if (unquoted.length - unquotedLength < length) {
            unquoted = Arrays.copyOf(unquoted, Math.max(2 * unquoted.length, unquotedLength + length));
        }
        System.arraycopy(data, from, unquoted, unquotedLength, length);
        unquotedLength += length;
    }

    private void add(int offset, int length, boolean copy) {
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, 2 * count);
            lengths = Arrays.copyOf(lengths, 2 * count);
            copied = Arrays.copyOf(copied, 2 * count);
        }
        offsets[count] = offset;
        lengths[count] = length;
        copied[count++] = copy;
    }
}
