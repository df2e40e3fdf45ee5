package io.thalweg.formats;

import io.thalweg.model.field.Condition;
import io.thalweg.model.source.Source;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.RecordFormat;
import io.thalweg.records.RecordReader;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.FieldType.Text;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Translation;
import java.util.List;

/**
 * Evaluates the conditions of {@code where} on records; reads only their fields of each message.
 *
 * <p><b>Threads.</b> One.
 */
public final class RecordConditions {
    private static final byte[] NOTHING = {};

    private final Projection projection;
    private final EventColumns events;
    private final CompiledCondition[] conditions;
    private final Translation translation;
    private final ProjectionWriter writer;

    /**
     * Binds conditions to a schema.
     *
     * @throws SchemaException if a field does not exist, or is not text, a number or a boolean where the condition compares it
     */
    public RecordConditions(List<Condition> where, Struct schema) {
        projection = Projection.of(
                Source.Format.JSON, where.stream().map(Condition::field).toList());
        events = new EventColumns(projection);
        conditions = where.stream()
                .map(condition -> new CompiledCondition(condition, projection))
                .toArray(CompiledCondition[]::new);
        translation = Translation.of(schema, ProjectionWriter.selection(projection));
        requireScalars(where);
        writer = new ProjectionWriter(projection, translation.target());
    }

    private void requireScalars(List<Condition> where) {
        for (Condition condition : where) {
            Field field = translation.target().fields().get(projection.column(condition.field()));
            boolean compared = field.type() instanceof Bool
                    || field.type() instanceof Int
                    || field.type() instanceof Real
                    || field.type() instanceof Text
                    || field.type() instanceof Symbols;
            if (!compared && !(condition instanceof Condition.Exists)) {
                throw new SchemaException("where: '" + field.name()
                        + "' must be text, a number or a boolean in the schema; {exists: true} takes any field");
            }
        }
    }

    /** Creates a reader of the fields of the conditions. */
    public RecordReader reader(RecordFormat format, Limits limits) {
        return format.reader(translation, limits);
    }

    /** The fields of the conditions, for {@link RecordFormat#reader}. */
    public Translation translation() {
        return translation;
    }

    /** Begins a message; returns the writer that receives its fields. */
    public RecordWriter begin() {
        events.clear();
        events.append(NOTHING, 0, 0, 0, 0, EventColumns.NO_TIMESTAMP);
        return writer.begin(events);
    }

    /**
     * Whether the message that was read meets all conditions.
     *
     * @throws BadRecordException if a condition compares a field that is missing
     */
    public boolean matches() {
        boolean matches = true;
        for (CompiledCondition condition : conditions) {
            BadReason unfit = condition.unfit(events, 0);
            if (unfit != null) {
                throw bad(condition, unfit);
            }
            matches &= condition.matches(events, 0);
        }
        return matches;
    }

    private BadRecordException bad(CompiledCondition condition, BadReason unfit) {
        return unfit == BadReason.MISSING_FIELD
                ? new BadRecordException(
                        RecordFault.MISSING_FIELD, "'" + condition.field() + "' must be there to judge where")
                : BadRecordException.wrongType(
                        condition.field(), condition.rule(events, 0), events.shown(0, condition.column()));
    }
}
