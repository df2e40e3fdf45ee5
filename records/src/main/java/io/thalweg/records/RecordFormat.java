package io.thalweg.records;

import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Translation;
import io.thalweg.records.write.ByteRecordWriter;
import java.util.Set;

/**
 * A format together with the schema of its messages.
 *
 * <p><b>Threads.</b> Safe; readers belong to one thread each.
 */
public interface RecordFormat {
    /** The schema of a message. */
    Struct struct();

    /**
     * A reader of messages.
     *
     * @param translation of {@link #struct}, for this reader alone
     */
    RecordReader reader(Translation translation, Limits limits);

    /**
     * A writer of messages.
     *
     * @throws io.thalweg.records.schema.SchemaException if messages of the format cannot be written in this version
     */
    ByteRecordWriter writer();

    /** The paths of structs of which a message has exactly one field. */
    default Set<String> unions() {
        return Set.of();
    }
}
