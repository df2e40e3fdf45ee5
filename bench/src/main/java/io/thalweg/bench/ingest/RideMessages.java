package io.thalweg.bench.ingest;

import io.thalweg.bench.harness.TopicWriter;
import io.thalweg.jobs.ingest.message.MadeUpMessages;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.Definitions;
import io.thalweg.model.ingest.Ingest;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.apache.avro.Schema;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.avro.AvroSchemaConverter;
import org.apache.parquet.avro.AvroWriteSupport;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/**
 * Made-up rides of about a kilobyte: the schemas in a folder, definitions over them, and the messages themselves.
 *
 * @param folder of the schemas and the definitions
 * @param timed whether a message has the time at which it is made; otherwise one of a day in the past
 */
public record RideMessages(Path folder, IngestVariant variant, boolean timed) {
    /** The name of a file of messages, which determines their framing. */
    private static final String FILE = "rides.bin";

    private static final int BUFFER_BYTES = 1 << 18;
    private static final long SHOWN_EVERY = 50_000;
    private static final String PAST = "{range: \"2026-11-01T00:00:00Z..2026-11-02T00:00:00Z\"}";

    /** The number of messages, and their bytes. */
    public record Written(long messages, long bytes) {}

    /** Writes the schemas of all formats into a folder. */
    public static RideMessages in(Path folder, IngestVariant variant, boolean timed) throws IOException {
        for (String schema : new String[] {"rides.thrift", "rides.avsc"}) {
            Files.writeString(folder.resolve(schema), resource(schema));
        }
        return new RideMessages(folder, variant, timed);
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = RideMessages.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /**
     * Returns the definition of an ingest of rides.
     *
     * @param source the entry that locates the messages
     * @param sink entries that locate the rows
     */
    public IngestPlan plan(String source, String sink) throws IOException {
        Path file = folder.resolve("rides.yaml");
        Files.writeString(
                file,
                resource("rides.yaml")
                        .replace("SOURCE", source)
                        .replace("FORMAT", variant.format.text())
                        .replace("SCHEMA", variant.format.schema)
                        .replace("TIMES", timed ? "now" : PAST)
                        .replace("SINK", sink));
        return IngestPlan.of(Definitions.load(List.of(file)).ingests().get(0));
    }

    /** Returns a plan that only describes the messages and rows. */
    public IngestPlan any() throws IOException {
        return plan("files: " + FILE, "parquet: none");
    }

    /** Writes messages to a file of this folder, which {@link #file} returns. */
    public Written writeFile(String name, long count, long seed) throws IOException {
        Path file = file(name);
        Files.createDirectories(file.getParent());
        IngestPlan plan = any();
        MadeUpMessages messages = MadeUpMessages.toFile(
                plan,
                plan.ingest().generate(),
                seed,
                Ingest.Framing.LENGTH_PREFIXED,
                new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES));
        return write(messages, count, written -> {});
    }

    /** Returns the file of some messages. */
    public Path file(String name) {
        return folder.resolve(name).resolve(FILE);
    }

    /** Writes messages to records, and closes them. */
    public Written send(MadeUpMessages.Records records, long count, long seed, LongConsumer progress)
            throws IOException {
        return write(messages(records, seed), count, progress);
    }

    private MadeUpMessages messages(MadeUpMessages.Records records, long seed) throws IOException {
        IngestPlan plan = any();
        return MadeUpMessages.toRecords(plan, plan.ingest().generate(), seed, records);
    }

    /** Writes {@code rate} messages a second to records, and closes them; it catches up when it is behind. */
    public Written send(MadeUpMessages.Records records, long count, long seed, double rate)
            throws IOException, InterruptedException {
        long begun = System.nanoTime();
        try (MadeUpMessages messages = messages(records, seed)) {
            while (messages.messages() < count) {
                long due = (long) ((System.nanoTime() - begun) / 1e9 * rate);
                while (messages.messages() < Math.min(count, due)) {
                    messages.write();
                }
                Thread.sleep(1);
            }
            return new Written(messages.messages(), messages.bytes());
        }
    }

    private static Written write(MadeUpMessages messages, long count, LongConsumer progress) throws IOException {
        try (messages) {
            for (long i = 0; i < count; i++) {
                messages.write();
                if (i % SHOWN_EVERY == 0) {
                    progress.accept(i);
                }
            }
        }
        return new Written(messages.messages(), messages.bytes());
    }

    /** A topic of rides: records are sent to its partitions in turn, with the time at which they are sent. */
    static final class RideTopic implements MadeUpMessages.Records {
        private final TopicWriter topic;
        private final int partitions;
        private long records;

        RideTopic(String bootstrap, String name) {
            topic = new TopicWriter(bootstrap, name);
            partitions = topic.partitions();
        }

        @Override
        public void write(byte[] record, @Nullable String codec) throws IOException {
            topic.send((int) (records++ % partitions), System.currentTimeMillis(), null, record);
        }

        @Override
        public void close() throws IOException {
            topic.close();
        }
    }

    /** The table of rides as rivals see it. */
    static final class RideSchemas {
        /** The columns whose values repeat, as known to an author who knows the data. */
        static final List<String> REPEATING = List.of("status", "product", "passengers", "app_version", "device");

        private RideSchemas() {}

        /**
         * Returns the schema of messages in Avro: times are in milliseconds, because Flink's Avro format reads other units as if they
         * were.
         */
        static Schema messages(Path schemas) throws IOException {
            return new Schema.Parser().parse(text(schemas));
        }

        /** Returns the schema of rows: the same with times in microseconds. */
        static Schema rows(Path schemas) throws IOException {
            return new Schema.Parser().parse(text(schemas).replace("timestamp-millis", "timestamp-micros"));
        }

        private static String text(Path schemas) throws IOException {
            return Files.readString(schemas.resolve("rides.avsc"));
        }

        static MessageType parquet(Schema avro) {
            return new AvroSchemaConverter(configuration()).convert(avro);
        }

        /** Returns a configuration with three-level lists, as the format requires today. */
        static Configuration configuration() {
            Configuration configuration = new Configuration();
            configuration.setBoolean(AvroWriteSupport.WRITE_OLD_LIST_STRUCTURE, false);
            return configuration;
        }
    }
}
