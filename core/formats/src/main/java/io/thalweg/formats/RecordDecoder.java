package io.thalweg.formats;

import io.thalweg.model.source.EventSchema;
import io.thalweg.model.source.Source;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.RecordFormat;
import io.thalweg.records.RecordReader;
import io.thalweg.records.avro.AvroReader;
import io.thalweg.records.avro.AvroSchema;
import io.thalweg.records.envelope.Envelope;
import io.thalweg.records.envelope.EnvelopeOpener;
import io.thalweg.records.registry.RegistryAwayException;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import org.jspecify.annotations.Nullable;

/**
 * Decodes events that have a schema, of a file or a registry. One event per record; a record may be compressed. Fields that no view
 * names are skipped, but required ones must be there.
 *
 * <p><b>Registries.</b> A record that names a schema is read with it; the schema is fetched when the first record names it. While
 * the registry is unavailable, {@link #decode} waits; after ten minutes it throws {@link RegistryAwayException}, because the
 * events are not bad.
 *
 * <p><b>Objects</b> of an Avro container follow one another without framing: after {@link #objectsOf}, an event is the object at
 * the beginning of the bytes, and {@link #objectEnd} is its end.
 *
 * <p><b>Threads.</b> One.
 */
public final class RecordDecoder implements EventDecoder {
    /** {@link #objectEnd} of a bad object: the objects after it cannot be found. */
    public static final int LOST = -1;

    private static final Limits LIMITS = Limits.DEFAULT;

    private final RecordFormat format;
    private final Selection selection;
    private final RecordReader reader;
    private final EnvelopeOpener opener;
    private final RecordFields recordFields;
    private final ProjectionWriter writer;
    private final @Nullable NaiveRecordWriter naive;
    private @Nullable AvroSchema writerSchema;
    private @Nullable AvroReader objects;
    private int objectEnd = LOST;

    private RecordDecoder(Projection projection, boolean isNaive) {
        Source.Encoding encoding = projection.encoding();
        format = RecordSchemas.format(encoding);
        selection = ProjectionWriter.selection(projection);
        Translation translation = Translation.of(format.struct(), selection);
        reader = format.reader(translation, LIMITS);
        opener = new EnvelopeOpener(
                new Envelope(Envelope.Compression.valueOf(encoding.compression().name()), Envelope.Messages.ONE),
                LIMITS);
        recordFields = new RecordFields(projection);
        writer = new ProjectionWriter(projection, translation.target());
        naive = isNaive ? new NaiveRecordWriter(projection, translation.target()) : null;
    }

    /**
     * Creates a decoder for the format of {@code projection}.
     *
     * @throws IllegalStateException if the {@link EventSchema} was not read
     */
    public static RecordDecoder create(Projection projection) {
        return new RecordDecoder(projection, false);
    }

    /** Creates a slow decoder with the same results, whose columns are filled by the JSON parser, to verify the other one. */
    public static RecordDecoder createNaive(Projection projection) {
        return new RecordDecoder(projection, true);
    }

    /** Translates a fault of a record to the reasons of views. */
    public static BadReason reason(RecordFault fault) {
        return switch (fault) {
            case MISSING_FIELD -> BadReason.MISSING_FIELD;
            case INVALID_TEXT -> BadReason.INVALID_TEXT;
            case WRONG_TYPE, OUT_OF_RANGE, TIME_OUT_OF_RANGE -> BadReason.WRONG_TYPE;
            case TOO_LARGE, INFLATED_TOO_LARGE -> BadReason.TOO_LARGE;
            case UNDECODABLE,
                    EMPTY,
                    UNKNOWN_CODEC,
                    UNKNOWN_SCHEMA,
                    SCHEMA_INCOMPATIBLE,
                    UNKNOWN_FIELD,
                    REFUSED,
                    REJECTED,
                    FAILED -> BadReason.UNDECODABLE;
        };
    }

    /**
     * Switches to reading objects of an Avro container.
     *
     * @param writer the container's own schema
     * @throws SchemaException if it cannot be read as that of the source
     */
    public void objectsOf(AvroSchema writer) {
        if (writer.equals(writerSchema)) {
            return;
        }
        if (!(format.bare() instanceof AvroSchema avro)) {
            throw new SchemaException("an Avro container goes with format: avro only");
        }
        objects = AvroReader.of(writer, avro, Translation.of(format.struct(), selection), LIMITS);
        writerSchema = writer;
    }

    /** The end of the last object that was read, or {@link #LOST}. */
    public int objectEnd() {
        return objectEnd;
    }

    @Override
    public void decode(byte[] data, int offset, int length, RecordOrigin origin, EventColumns into) {
        boolean isObject = objects != null;
        if (!isObject && length > LIMITS.message()) {
            into.appendTooLarge(data, offset, length, origin);
            return;
        }
        into.append(data, offset, length, origin);
        try {
            if (objects == null) {
                message(data, offset, offset + length, into);
            } else {
                object(objects, data, offset, offset + length, into);
            }
        } catch (BadRecordException e) {
            into.fail(reason(e.fault()), e.detail());
            return;
        }
        recordFields.fill(into, origin);
    }

    private void message(byte[] data, int from, int to, EventColumns into) {
        opener.open(data, from, to);
        if (opener.next()) {
            reader.read(opener.data(), opener.from(), opener.to(), begin(into));
            end(into);
        }
    }

    private void object(AvroReader reader, byte[] data, int from, int to, EventColumns into) {
        objectEnd = LOST;
        int end = reader.readOne(data, from, to, begin(into));
        end(into);
        into.trimRaw(end - from);
        objectEnd = end;
    }

    private io.thalweg.records.RecordWriter begin(EventColumns into) {
        return naive == null ? writer.begin(into) : naive.begin();
    }

    private void end(EventColumns into) {
        String error = naive == null ? null : naive.end(into);
        if (error != null) {
            throw new IllegalStateException("the recount wrote a document that is not JSON: " + error);
        }
    }
}
