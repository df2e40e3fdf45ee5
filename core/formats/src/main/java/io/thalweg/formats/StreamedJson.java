package io.thalweg.formats;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.json.JsonScanner;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON by its grammar. The wanted paths form a tree that is traversed in parallel with the document; values outside the tree
 * are skipped, but still checked, so that the whole document is well-formed. Of members with the same name, the last one counts.
 *
 * <p><b>Threads.</b> One.
 */
final class StreamedJson {
    private final JsonScanner in = new JsonScanner(EventDecoder.MAX_DEPTH);
    private final JsonField wanted;
    /** The number of open containers. */
    private int depth;

    StreamedJson(JsonField wanted) {
        this.wanted = wanted;
    }

    /** Fills the last event of {@code into}; returns what is wrong with the document, or null. */
    @Nullable
    String read(byte[] data, int offset, int length, EventColumns into) {
        if (length == 0) {
            return "the message has no bytes";
        }
        in.open(data, offset, offset + length);
        depth = 0;
        try {
            if (in.peek() != '{') {
                throw in.malformed("an object");
            }
            object(wanted, into);
            in.finish();
            return null;
        } catch (BadRecordException e) {
            return e.detail();
        } finally {
            in.close();
        }
    }

    private void object(JsonField field, EventColumns into) {
        in.enter(++depth);
        if (!in.isEmpty('}')) {
            do {
                String name = in.name();
                member(name == null ? null : field.child(name), into);
            } while (in.isMore('}'));
        }
        depth--;
    }

    private void array(JsonField field, EventColumns into) {
        in.enter(++depth);
        if (!in.isEmpty(']')) {
            int index = 0;
            do {
                member(field.element(index++), into);
            } while (in.isMore(']'));
        }
        depth--;
    }

    private void member(@Nullable JsonField field, EventColumns into) {
        if (field == null) {
            in.skip(depth);
            return;
        }
        clearBelow(field, into);
        byte first = in.peek();
        if (first == '{' && !field.isLeaf()) {
            putContainer(field, into);
            object(field, into);
        } else if (first == '[' && field.lastElement() >= 0) {
            putContainer(field, into);
            array(field, into);
        } else if (first == '{' || first == '[') {
            putContainer(field, into);
            in.skip(depth);
        } else if (field.column() < 0) {
            in.skip(depth);
        } else {
            scalar(first, field.column(), into);
        }
    }

    private static void putContainer(JsonField field, EventColumns into) {
        if (field.column() >= 0) {
            into.put(field.column(), FieldKind.OTHER);
        }
    }

    /** Clears the values of an earlier member of the same name below this field. */
    private static void clearBelow(JsonField field, EventColumns into) {
        if (field.isLeaf()) {
            return;
        }
        for (JsonField child : field.children()) {
            if (child.column() >= 0) {
                into.put(child.column(), FieldKind.MISSING);
            }
            clearBelow(child, into);
        }
    }

    private void scalar(byte first, int column, EventColumns into) {
        switch (first) {
            case '"' -> {
                in.string();
                if (in.isUnicode()) {
                    into.putBytes(column, in.text(), in.textFrom(), in.textLength());
                } else {
                    into.put(column, FieldKind.INVALID_TEXT);
                }
            }
            case 't', 'f' -> into.putBool(column, in.bool());
            case 'n' -> {
                in.nullLiteral();
                into.put(column, FieldKind.NULL);
            }
            default -> {
                int from = in.position();
                in.number();
                into.putNumber(column, in.message(), from, in.position() - from);
            }
        }
    }
}
