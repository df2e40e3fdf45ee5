package io.thalweg.records.avro;

import org.apache.avro.Schema;

/**
 * Decides which type of a table's schema accepts the values of which written type. Types are neither unions nor null. The
 * contents of records, arrays and maps are compared when they are compiled.
 */
final class Compatibility {
    static final int NO_MATCH = 0;
    private static final int PROMOTED = 1;
    private static final int SAME_FIELDS = 2;
    private static final int SAME_NAME = 3;
    private static final int SAME = 4;

    private Compatibility() {}

    /** Returns whether the only candidate type accepts the written values; the names of records do not matter then. */
    static boolean canRead(Schema written, Schema table) {
        return (written.getType() == Schema.Type.RECORD && table.getType() == Schema.Type.RECORD)
                || match(written, table) != NO_MATCH;
    }

    /** Returns how well a branch of a union matches written values; {@link #NO_MATCH} if it does not. */
    static int match(Schema written, Schema table) {
        Schema.Type type = written.getType();
        if (type != table.getType()) {
            return promotes(type, table.getType()) ? PROMOTED : NO_MATCH;
        }
        if (type == Schema.Type.FIXED && written.getFixedSize() != table.getFixedSize()) {
            return NO_MATCH;
        }
        if (written.getFullName().equals(table.getFullName())) {
            return SAME;
        }
        if (written.getName().equals(table.getName())) {
            return SAME_NAME;
        }
        return type == Schema.Type.RECORD && hasAllFields(written, table) ? SAME_FIELDS : NO_MATCH;
    }

    private static boolean promotes(Schema.Type written, Schema.Type table) {
        return switch (written) {
            case INT -> table == Schema.Type.LONG || table == Schema.Type.FLOAT || table == Schema.Type.DOUBLE;
            case LONG -> table == Schema.Type.FLOAT || table == Schema.Type.DOUBLE;
            case FLOAT -> table == Schema.Type.DOUBLE;
            case STRING -> table == Schema.Type.BYTES;
            case BYTES -> table == Schema.Type.STRING;
            default -> false;
        };
    }

    private static boolean hasAllFields(Schema written, Schema table) {
        for (Schema.Field field : table.getFields()) {
            if (written.getField(field.name()) == null && !field.hasDefaultValue()) {
                return false;
            }
        }
        return true;
    }
}
