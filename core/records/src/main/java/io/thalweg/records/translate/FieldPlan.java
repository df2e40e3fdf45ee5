package io.thalweg.records.translate;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.schema.FieldType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The plan for one field, element, key or value of the source.
 *
 * <p>A field that is selected twice has a second plan, {@link #also}; the reader then returns to the first byte of the value and
 * reads it again, so that writers receive only well-nested calls.
 */
public final class FieldPlan {
    /** The slot of a field that is not itself selected. */
    public static final int NONE = -1;

    /** For error messages: the path from the root of the message, {@code payload.rider.id}. */
    public final String path;

    public final FieldType type;

    /** The slot in the target, or {@link #NONE} if at most fields below it are selected. */
    public final int slot;

    /** For a struct: the plan of its fields; null if they are skipped. */
    public final @Nullable StructPlan struct;

    /** For a list: its element; for a map: its value. */
    public final @Nullable FieldPlan element;

    /** For a map: its key. */
    public final @Nullable FieldPlan key;

    /** The next use of the same field. */
    public final @Nullable FieldPlan also;

    private final boolean required;
    private final @Nullable Object absent;

    FieldPlan(
            String path,
            FieldType type,
            int slot,
            Parts parts,
            @Nullable FieldPlan also,
            boolean required,
            @Nullable Object absent) {
        this.path = path;
        this.type = type;
        this.slot = slot;
        this.struct = parts.struct;
        this.element = parts.element;
        this.key = parts.key;
        this.also = also;
        this.required = required;
        this.absent = absent;
    }

    /** The plans of the parts of a struct, a list or a map. */
    record Parts(
            @Nullable StructPlan struct,
            @Nullable FieldPlan element,
            @Nullable FieldPlan key) {
        static final Parts NONE = new Parts(null, null, null);
    }

    /** Returns whether the value is read. Otherwise the reader skips it, and only its presence matters. */
    public boolean isRead() {
        return slot != NONE || struct != null;
    }

    /**
     * Reports the field, and its further uses, as missing from the message.
     *
     * @throws BadRecordException if the field is required
     */
    public void missing(RecordWriter writer) {
        if (required) {
            throw new BadRecordException(RecordFault.MISSING_FIELD, "'" + path + "' must be there");
        }
        for (FieldPlan plan = this; plan != null; plan = plan.also) {
            plan.writeAbsent(writer);
        }
    }

    /**
     * Reports the field, and its further uses, as null. An explicit null does not take the default.
     *
     * @throws BadRecordException if the field is required
     */
    public void isNull(RecordWriter writer) {
        if (required) {
            throw new BadRecordException(RecordFault.MISSING_FIELD, "'" + path + "' must be there, was null");
        }
        for (FieldPlan plan = this; plan != null; plan = plan.also) {
            plan.writeNull(writer);
        }
    }

    private void writeNull(RecordWriter writer) {
        if (slot != NONE) {
            writer.absent(slot);
        } else if (struct != null) {
            struct.writeNulls(writer);
        }
    }

    void writeNulls(RecordWriter writer) {
        for (FieldPlan plan = this; plan != null; plan = plan.also) {
            plan.writeNull(writer);
        }
    }

    private void writeAbsent(RecordWriter writer) {
        if (slot == NONE || absent == null) {
            writeNull(writer);
        } else if (absent instanceof Boolean value) {
            writer.bool(slot, value);
        } else if (absent instanceof Long value) {
            writer.int64(slot, value);
        } else if (absent instanceof Double value) {
            writer.float64(slot, value);
        } else if (absent instanceof byte[] value) {
            writer.bytes(slot, value, 0, value.length);
        } else if (absent instanceof List<?> && type instanceof FieldType.MapOf) {
            writer.beginMap(slot);
            writer.endMap(slot);
        } else {
            writer.beginList(slot);
            writer.endList(slot);
        }
    }
}
