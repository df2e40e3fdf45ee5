package io.thalweg.records;

import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Translation;
import io.thalweg.records.write.ByteRecordWriter;

/**
 * A format together with the schema of its messages.
 *
 * <p><b>Threads.</b> Safe; readers belong to one thread each.
 */
public interface RecordFormat {
    /** The schema of a message. */
    Struct struct();

    /**
     * Creates a reader of messages.
     *
     * @param translation of {@link #struct}, used by this reader only
     */
    RecordReader reader(Translation translation, Limits limits);

    /**
     * Creates a writer of messages.
     *
     * @throws io.thalweg.records.schema.SchemaException if messages of the schema cannot be written in this version
     */
    ByteRecordWriter writer();

    /** The format of the messages without the header that names their schema. */
    default RecordFormat bare() {
        return this;
    }

    /** The rules that messages obey beyond {@link #struct}. */
    default MessageRules rules() {
        return MessageRules.NONE;
    }
}
