package io.thalweg.jobs.ingest.message;

import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.ingest.Generate;
import io.thalweg.model.ingest.Ingest.Framing;
import io.thalweg.model.ingest.Ingest.Messages;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFormat;
import io.thalweg.records.RecordReader;
import io.thalweg.records.avro.AvroContainerWriter;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.envelope.Envelope.Compression;
import io.thalweg.records.envelope.EnvelopeSealer;
import io.thalweg.records.generate.Between;
import io.thalweg.records.generate.Corruption;
import io.thalweg.records.generate.FieldOptions;
import io.thalweg.records.generate.GeneratorOptions;
import io.thalweg.records.generate.MessageGenerator;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Generates messages of a definition for tests and benchmarks, in the framing and the envelope that the definition reads. The same
 * seed generates the same bytes.
 *
 * <p><b>Threads.</b> One.
 */
public final class MadeUpMessages implements Closeable {
    /** Messages per record, where a record may hold several. */
    private static final int PER_RECORD = 100;
    /** The codecs of records that name their compression, used in turn. */
    private static final Compression[] CODECS = Compression.values();

    private final MessageGenerator generator;
    private final EnvelopeSealer sealer;
    /** Precedes each message, except for objects in Avro containers. */
    private final byte[] header;

    private final boolean namesCodecs;
    private final boolean linesMatter;
    private final Records out;
    private final @Nullable AvroContainerWriter container;
    private long next;
    private long records;
    private int inRecord;
    private long bytes;

    /** Receives the generated records. */
    public interface Records extends Closeable {
        /**
         * Writes a record.
         *
         * @param codec the compression that a header of the record must name; null = no header
         */
        void write(byte[] record, @Nullable String codec) throws IOException;
    }

    /** Writes records to a file. */
    private record Framed(Framing framing, OutputStream out) implements Records {
        @Override
        public void write(byte[] record, @Nullable String codec) throws IOException {
            if (framing == Framing.LENGTH_PREFIXED) {
                ByteArrayOutputStream length = new ByteArrayOutputStream(Integer.BYTES);
                EnvelopeSealer.writeInt(length, record.length);
                length.writeTo(out);
            }
            out.write(record);
            if (framing == Framing.LINES) {
                out.write('\n');
            }
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }

    /**
     * Creates a generator that writes a file.
     *
     * @param generate how to generate messages; overrides the definition
     * @param framing the framing of the file
     * @param out closed with the generator
     */
    public static MadeUpMessages toFile(
            IngestPlan plan, Generate generate, long seed, Framing framing, OutputStream out) throws IOException {
        AvroContainerWriter container =
                framing == Framing.AVRO_CONTAINER ? new AvroContainerWriter(plan.avroSchema(), out) : null;
        return new MadeUpMessages(
                plan, generate, seed, new Framed(framing, out), false, framing == Framing.LINES, container);
    }

    /**
     * Creates a generator that writes records.
     *
     * @param generate how to generate messages; overrides the definition
     * @param out closed with the generator
     */
    public static MadeUpMessages toRecords(IngestPlan plan, Generate generate, long seed, Records out) {
        boolean namesCodecs = plan.ingest().input().envelope().codecHeader() != null;
        return new MadeUpMessages(plan, generate, seed, out, namesCodecs, false, null);
    }

    private MadeUpMessages(
            IngestPlan plan,
            Generate generate,
            long seed,
            Records out,
            boolean namesCodecs,
            boolean recordsAreLines,
            @Nullable AvroContainerWriter container) {
        RecordFormat format = plan.format().bare();
        Struct schema = format.struct();
        Corruption corruption = new Corruption(
                generate.corruptShare(),
                generate.corruptKinds().stream()
                        .map(kind -> Corruption.Kind.valueOf(kind.name()))
                        .toList());
        generator =
                new MessageGenerator(schema, options(plan, generate), corruption, format.writer(), seed, probe(plan));
        boolean areContainers = plan.ingest().input().envelope().messages() == Messages.AVRO_CONTAINER;
        sealer = new EnvelopeSealer(plan.envelope(), areContainers ? plan.avroSchema() : null);
        linesMatter = recordsAreLines || plan.ingest().input().envelope().messages() == Messages.LINES;
        header = areContainers ? new byte[0] : plan.schema().header();
        this.namesCodecs = namesCodecs;
        this.out = out;
        this.container = container;
    }

    private static GeneratorOptions options(IngestPlan plan, Generate generate) {
        Map<String, FieldOptions> fields = new LinkedHashMap<>();
        generate.fields().forEach((path, values) -> fields.put(path, options(values)));
        Generate.Range size = generate.size();
        return new GeneratorOptions(
                size == null ? null : between(size),
                generate.nulls(),
                between(generate.collections()),
                fields,
                plan.format().rules());
    }

    private static FieldOptions options(Generate.Values values) {
        Generate.Range length = values.length();
        return new FieldOptions(
                values.distinct(),
                values.zipf(),
                values.values(),
                values.from() == null || values.to() == null
                        ? null
                        : new FieldOptions.Range(values.from(), values.to()),
                length == null ? null : between(length),
                values.now(),
                values.nulls());
    }

    private static Between between(Generate.Range range) {
        return new Between(range.min(), range.max());
    }

    /** Ensures that a corrupted message is bad and not merely different. */
    private static MessageGenerator.Probe probe(IngestPlan plan) {
        RecordFormat format = plan.format().bare();
        Struct schema = format.struct();
        Translation translation = Translation.of(schema, Selection.readable(schema));
        RecordReader reader = format.reader(translation, IngestPlan.limits(plan.ingest()));
        ColumnWriter columns = new ColumnWriter(translation.target());
        return (data, from, to) -> {
            columns.begin();
            try {
                reader.read(data, from, to, columns);
                return true;
            } catch (BadRecordException e) {
                return false;
            } finally {
                columns.rollback();
            }
        };
    }

    /** Writes the next message; a record that may hold several is written when it is full. */
    public void write() throws IOException {
        generator.setNow(System.currentTimeMillis() * 1_000);
        generator.message(next++);
        bytes += generator.to() - generator.from();
        if (container != null) {
            container.add(generator.data(), generator.from(), generator.to());
            return;
        }
        if (linesMatter || header.length > 0) {
            byte[] message = withHeader();
            sealer.add(message, 0, message.length);
        } else {
            sealer.add(generator.data(), generator.from(), generator.to());
        }
        inRecord++;
        if (!sealer.takesSeveral() || inRecord == PER_RECORD) {
            record();
        }
    }

    private byte[] withHeader() {
        int length = generator.to() - generator.from();
        byte[] message = Arrays.copyOf(header, header.length + length);
        System.arraycopy(generator.data(), generator.from(), message, header.length, length);
        if (linesMatter) {
            keepToOneLine(message);
        }
        return message;
    }

    /** Corruption may insert line ends, which would split a message in two; another control character is as invalid in JSON. */
    private static void keepToOneLine(byte[] message) {
        for (int i = 0; i < message.length; i++) {
            if (message[i] == '\n' || message[i] == '\r') {
                message[i] = 1;
            }
        }
    }

    private void record() throws IOException {
        inRecord = 0;
        if (namesCodecs) {
            Compression codec = CODECS[(int) (records++ % CODECS.length)];
            out.write(sealer.seal(codec), codec.text());
        } else {
            out.write(sealer.seal(), null);
        }
    }

    /** The number of messages written. */
    public long messages() {
        return next;
    }

    /** The size of these messages in bytes, without framing and envelope. */
    public long bytes() {
        return bytes;
    }

    @Override
    public void close() throws IOException {
        if (inRecord > 0) {
            record();
        }
        if (container != null) {
            container.close();
        }
        out.close();
    }
}
