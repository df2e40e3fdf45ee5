package io.thalweg.jobs.ingest.message;

import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.ingest.Ingest.Format;
import io.thalweg.model.ingest.Ingest.Messages;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFormat;
import io.thalweg.records.RecordReader;
import io.thalweg.records.envelope.EnvelopeSealer;
import io.thalweg.records.json.JsonSchema;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import io.thalweg.records.write.ByNameWriter;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.records.write.JsonSchemas;
import org.jspecify.annotations.Nullable;

/**
 * Encodes JSON messages in the format, schema and envelope that a definition reads, one record per message. Messages of
 * {@code format: json} are passed through unchanged.
 *
 * <p><b>JSON.</b> As {@link JsonSchemas} derives it from the schema: times are text in ISO 8601, bytes are base64, enums are names. Optional
 * fields may be missing.
 *
 * <p><b>Threads.</b> One.
 */
public final class MessageEncoder {
    private static final int LONGEST = 10 << 20;
    private static final int DEEPEST = 128;

    private final Struct schema;
    private final @Nullable Conversion conversion;
    private final byte[] header;
    private final EnvelopeSealer sealer;

    /** Converts JSON to the format. */
    private record Conversion(RecordReader reader, ByteRecordWriter writer) {}

    private MessageEncoder(Struct schema, @Nullable Conversion conversion, byte[] header, EnvelopeSealer sealer) {
        this.schema = schema;
        this.conversion = conversion;
        this.header = header;
        this.sealer = sealer;
    }

    /**
     * Creates the encoder of a definition.
     *
     * @throws SchemaException if JSON cannot express messages of the schema; the message names the fields
     */
    public static MessageEncoder of(IngestPlan plan) {
        RecordFormat format = plan.format().bare();
        boolean areContainers = plan.ingest().input().envelope().messages() == Messages.AVRO_CONTAINER;
        return new MessageEncoder(
                format.struct(),
                plan.ingest().input().format() == Format.JSON ? null : conversion(format),
                areContainers ? new byte[0] : plan.schema().header(),
                new EnvelopeSealer(plan.envelope(), areContainers ? plan.avroSchema() : null));
    }

    private static Conversion conversion(RecordFormat format) {
        JsonSchema json = JsonSchema.parse(JsonSchemas.of(format.struct()), "messages");
        return new Conversion(
                json.reader(Translation.of(json.struct(), Selection.ALL), new Limits(LONGEST, LONGEST, 1, DEEPEST)),
                ByNameWriter.of(json.struct(), format.struct(), format.writer()));
    }

    /** The schema of the messages. */
    public Struct schema() {
        return schema;
    }

    /**
     * Returns a record of the source that holds one message.
     *
     * @param json a JSON object in UTF-8, without line ends
     * @throws BadRecordException if the schema cannot express it
     */
    public byte[] record(byte[] json) {
        if (conversion == null) {
            add(json, 0, json.length);
        } else {
            ByteRecordWriter writer = conversion.writer();
            writer.begin();
            conversion.reader().read(json, 0, json.length, writer);
            writer.end();
            add(writer.data(), writer.from(), writer.to());
        }
        return sealer.seal();
    }

    private void add(byte[] data, int from, int to) {
        byte[] message = new byte[header.length + to - from];
        System.arraycopy(header, 0, message, 0, header.length);
        System.arraycopy(data, from, message, header.length, to - from);
        sealer.add(message, 0, message.length);
    }
}
