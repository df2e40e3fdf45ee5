package io.thalweg.records.registry;

import io.thalweg.records.Limits;
import io.thalweg.records.MessageRules;
import io.thalweg.records.RecordFormat;
import io.thalweg.records.RecordReader;
import io.thalweg.records.avro.AvroReader;
import io.thalweg.records.avro.AvroSchema;
import io.thalweg.records.proto.IndexedReader;
import io.thalweg.records.proto.ProtoSchema;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Translation;
import io.thalweg.records.write.ByteRecordWriter;
import java.nio.charset.StandardCharsets;
import java.util.function.LongFunction;

/**
 * The format of messages that name their writer's schema. They are read as messages of the table's schema, which does not change
 * while a job runs.
 *
 * <p><b>Avro</b> is resolved from the writer's schema to the table's. <b>JSON</b> names its fields and <b>Protocol Buffers</b>
 * numbers them, so the table's schema reads messages of any other schema; in Protocol Buffers, the type must have the same name.
 *
 * <p><b>Threads.</b> Safe; readers belong to one thread each.
 */
public final class WireFormat implements RecordFormat {
    private final RecordFormat table;
    private final Wire wire;
    private final WriterSchemas writers;

    /**
     * Creates a format.
     *
     * @param table the format with the table's schema
     * @param wire not {@code PLAIN}
     * @param writers the schemas that messages name
     */
    public WireFormat(RecordFormat table, Wire wire, WriterSchemas writers) {
        this.table = table;
        this.wire = wire;
        this.writers = writers;
    }

    @Override
    public Struct struct() {
        return table.struct();
    }

    @Override
    public RecordFormat bare() {
        return table;
    }

    /**
     * {@inheritDoc}
     *
     * <p>Readers of all schemas share the translation, because one message is read at a time.
     */
    @Override
    public RecordReader reader(Translation translation, Limits limits) {
        return new WireReader(wire, find(), schema -> reader(schema, translation, limits), System::nanoTime);
    }

    private LongFunction<RegisteredSchema> find() {
        return wire == Wire.SINGLE_OBJECT && table instanceof AvroSchema avro
                ? new Fingerprints(avro, writers)::find
                : id -> writers.byId((int) id);
    }

    private RecordReader reader(RegisteredSchema schema, Translation translation, Limits limits) {
        byte[] contents = schema.contents().getBytes(StandardCharsets.ISO_8859_1);
        if (table instanceof AvroSchema avro) {
            AvroSchema writer = AvroSchema.parse(new String(contents, StandardCharsets.UTF_8));
            return AvroReader.of(writer, avro, translation, limits);
        }
        return table instanceof ProtoSchema proto
                ? IndexedReader.of(contents, proto, translation, limits)
                : table.reader(translation, limits);
    }

    /**
     * Returns the header of a message.
     *
     * @param schema that the message is written with
     * @param id of this schema in the registry; only {@code CONFLUENT} names it
     */
    public static byte[] header(RecordFormat schema, Wire wire, int id) {
        RecordFormat bare = schema.bare();
        if (wire == Wire.PLAIN) {
            return new byte[0];
        }
        if (wire == Wire.SINGLE_OBJECT && bare instanceof AvroSchema avro) {
            return Wire.singleObject(avro.fingerprint());
        }
        byte[] indexes = bare instanceof ProtoSchema proto ? IndexedReader.indexes(proto) : new byte[0];
        return Wire.confluent(id, indexes);
    }

    /** Creates a writer of messages without their header. */
    @Override
    public ByteRecordWriter writer() {
        return table.writer();
    }

    @Override
    public MessageRules rules() {
        return table.rules();
    }
}
