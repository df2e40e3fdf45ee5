package io.thalweg.jobs.ingest.plan;

import io.thalweg.formats.RecordConditions;
import io.thalweg.formats.SourceSchema;
import io.thalweg.jobs.function.FunctionJars;
import io.thalweg.jobs.function.OpenFunction;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.source.Source;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFormat;
import io.thalweg.records.SchemaText;
import io.thalweg.records.avro.AvroSchema;
import io.thalweg.records.envelope.Envelope;
import io.thalweg.records.registry.RegistryAddress;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import io.thalweg.tables.ParquetSchemas;
import io.thalweg.tables.iceberg.PartitionRule;
import io.thalweg.tables.iceberg.Partitioner;
import io.thalweg.tables.iceberg.TableLayout;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A definition together with its schema: everything that a task needs to translate messages.
 *
 * <p><b>Threads.</b> Safe; each object that it creates belongs to one thread.
 */
public final class IngestPlan {
    private final Ingest ingest;
    private final SourceSchema schema;
    private final @Nullable FunctionJars function;
    private final RecordFormat format;
    private final Selection selection;
    private final Struct event;
    /** The columns that the reader or the user function writes. */
    private final Struct columns;

    private final Struct table;
    private final @Nullable MessageSchema messages;

    /**
     * Creates a plan from the text of its schema.
     *
     * @param knownTable the columns of a definition that has been checked; null = derive them from the definition
     * @param messages the schema of a topic's messages; null = the sink is not a topic, or the schema is not needed
     * @throws SchemaException if the schema cannot be used, or lacks what the definition names
     */
    IngestPlan(
            Ingest ingest,
            SourceSchema schema,
            @Nullable FunctionJars function,
            @Nullable Struct knownTable,
            @Nullable MessageSchema messages) {
        this.ingest = ingest;
        this.schema = schema;
        this.function = function;
        this.messages = messages;
        format = under(ingest, "source.schema", schema::format);
        selection = new Selection(
                ingest.columns().stream()
                        .map(column -> new Selection.Column(column.name(), segments(column.path())))
                        .toList(),
                ingest.excluded().stream().map(FieldPath::segments).toList());
        event = under(
                ingest,
                "fields",
                () -> Translation.of(format.struct(), selection).target());
        boolean origin = ingest.rows().origin();
        if (knownTable == null) {
            columns = derivedColumns();
            table = origin ? under(ingest, "sink.origin", () -> OriginColumn.addTo(columns)) : columns;
        } else {
            table = knownTable;
            columns = origin ? OriginColumn.removeFrom(table) : table;
        }
    }

    /** Returns the fields of the event, or the columns that the user function derives from them. */
    private Struct derivedColumns() {
        try (OpenFunction opened = opened(UUID.randomUUID().toString())) {
            return opened == null ? event : opened.table();
        }
    }

    private @Nullable OpenFunction opened(String job) {
        Ingest.Transform transform = ingest.transform();
        if (transform == null) {
            return null;
        }
        return under(
                ingest,
                () -> OpenFunction.open(job, transform, Objects.requireNonNull(function, "read with the plan"), event));
    }

    private static List<String> segments(@Nullable FieldPath path) {
        return path == null ? List.of() : path.segments();
    }

    /** As {@link #of(Ingest, Map)}, for a definition whose schema is in a file. */
    public static IngestPlan of(Ingest ingest) {
        return of(ingest, Map.of());
    }

    /**
     * Reads the schema and checks the definition against it.
     *
     * @param registries schema registries by their names
     * @throws SchemaException if the schema cannot be read, or lacks what the definition names
     * @throws io.thalweg.records.registry.RegistryAwayException if the schema is in a registry that does not answer
     */
    public static IngestPlan of(Ingest ingest, Map<String, RegistryAddress> registries) {
        Source.Schema at = ingest.input().schema();
        return checked(
                ingest,
                under(ingest, "source.schema", () -> SourceSchema.read(language(ingest), at, registries)),
                registries);
    }

    /** As {@link #of(Ingest, Map)}, for callers that write messages: a schema in a file is registered. */
    public static IngestPlan toWrite(Ingest ingest, Map<String, RegistryAddress> registries) {
        Source.Schema at = ingest.input().schema();
        return checked(
                ingest,
                under(ingest, "source.schema", () -> SourceSchema.readToWrite(language(ingest), at, registries)),
                registries);
    }

    private static SchemaText.Language language(Ingest ingest) {
        return SchemaText.Language.valueOf(ingest.input().format().name());
    }

    private static IngestPlan checked(Ingest ingest, SourceSchema schema, Map<String, RegistryAddress> registries) {
        Ingest.Transform transform = ingest.transform();
        FunctionJars function = transform == null ? null : under(ingest, () -> FunctionJars.read(transform));
        IngestPlan plan = new IngestPlan(ingest, schema, function, null, messages(ingest, registries));
        if (!ingest.where().isEmpty()) {
            var unused = under(ingest, "where", () -> new RecordConditions(ingest.where(), plan.format.struct()));
        }
        if (ingest.sink() instanceof Ingest.TopicSink topic) {
            var unused =
                    under(ingest, keyOfMessages(topic), () -> plan.messages().writer(plan.table));
            return plan;
        }
        String columns = ingest.transform() == null ? "fields" : "transform.class";
        var unused = under(ingest, columns, () -> ParquetSchemas.text(plan.table));
        plan.requirePartitions();
        return plan;
    }

    private static @Nullable MessageSchema messages(Ingest ingest, Map<String, RegistryAddress> registries) {
        if (!(ingest.sink() instanceof Ingest.TopicSink topic)) {
            return null;
        }
        return under(ingest, keyOfMessages(topic), () -> {
            MessageSchema messages = MessageSchema.of(ingest, topic);
            if (messages.subject() != null) {
                var unused = SourceSchema.address(messages.subject(), registries);
            }
            return messages;
        });
    }

    private static String keyOfMessages(Ingest.TopicSink topic) {
        return topic.schema() == null ? "sink.format" : "sink.schema";
    }

    /**
     * Returns the plan for a job that writes: messages whose schema is in a registry carry its id.
     *
     * @param registries schema registries by their names
     * @throws SchemaException if the registry does not have the schema; the message lists the differences
     * @throws io.thalweg.records.registry.RegistryAwayException if the registry does not answer
     */
    public IngestPlan resolved(Map<String, RegistryAddress> registries) {
        return messages == null
                ? this
                : new IngestPlan(
                        ingest,
                        schema,
                        function,
                        table,
                        under(ingest, "sink.schema", () -> messages.found(table, registries)));
    }

    /**
     * Registers the schema of a topic's messages if the definition names a registry for it.
     *
     * @param registries schema registries by their names
     * @return a human-readable description of what was done
     * @throws SchemaException if the registry refuses the schema; the message includes the registry's
     * @throws io.thalweg.records.registry.RegistryAwayException if the registry does not answer
     */
    public List<String> register(Map<String, RegistryAddress> registries) {
        return messages == null ? List.of() : under(ingest, "sink.schema", () -> messages.register(table, registries));
    }

    /** The schema of the source's messages, as read when the job started. */
    public SourceSchema schema() {
        return schema;
    }

    /** Returns the serializable form from which tasks open the same plan. */
    public PackedPlan packed() {
        return new PackedPlan(ingest, schema, function, table);
    }

    private void requirePartitions() {
        var unused = under(ingest, "sink.partition_by", () -> {
            Partitioner.require(table, layout().partitions(), hasFolders());
            return layout();
        });
    }

    /** Whether partitions are folders whose names carry the partition values. */
    public boolean hasFolders() {
        return ingest.sink() instanceof Ingest.ParquetSink;
    }

    /** The schema of the rows and their partitioning. */
    public TableLayout layout() {
        return new TableLayout(
                table,
                ingest.sink().partitions().stream()
                        .map(by -> new PartitionRule(
                                PartitionRule.Kind.valueOf(by.kind().name()),
                                by.buckets(),
                                by.column().column()))
                        .toList(),
                ingest.sink() instanceof Ingest.IcebergSink iceberg && iceberg.addsColumns());
    }

    /** Runs a check and prefixes its error with the definition and the key. */
    private static <T> T under(Ingest ingest, String key, Supplier<T> check) {
        try {
            return check.get();
        } catch (SchemaException e) {
            throw new SchemaException(ingest.qualifiedName() + ": " + key + ": " + e.getMessage(), e);
        }
    }

    /** Runs a check and prefixes its error with the definition. */
    private static <T> T under(Ingest ingest, Supplier<T> check) {
        try {
            return check.get();
        } catch (SchemaException e) {
            throw new SchemaException(ingest.qualifiedName() + ": " + e.getMessage(), e);
        }
    }

    /** The definition. */
    public Ingest ingest() {
        return ingest;
    }

    /** The selected fields of an event. */
    public Struct event() {
        return event;
    }

    /**
     * Opens the user function; null if there is none.
     *
     * @param job the id of the job in this process; its subtasks share classes
     * @throws SchemaException if it cannot be loaded or opened, or its columns are not those that the job started with
     */
    @Nullable
    public OpenFunction openFunction(String job) {
        OpenFunction opened = opened(job);
        if (opened != null && !opened.table().equals(columns)) {
            opened.close();
            throw new SchemaException(
                    ingest.qualifiedName()
                            + ": transform.class: the function now has other columns than when the job started; start the job again");
        }
        return opened;
    }

    /** Returns the writer of the origin column; null if rows do not have one. */
    @Nullable
    public OriginColumn origin() {
        return ingest.rows().origin() ? new OriginColumn(columns) : null;
    }

    /** The schema of the rows. */
    public Struct table() {
        return table;
    }

    /**
     * The schema of the messages that are written to a topic.
     *
     * @throws IllegalStateException if the ingest does not write to a topic
     */
    public MessageSchema messages() {
        if (messages == null) {
            throw new IllegalStateException(ingest.qualifiedName() + " does not write to a topic");
        }
        return messages;
    }

    /** The schema of the sink: that of a topic's messages, otherwise that of Parquet files, as Parquet prints it. */
    public String sinkSchema() {
        return ingest.sink() instanceof Ingest.TopicSink
                ? messages().text(table) + System.lineSeparator()
                : ParquetSchemas.text(table);
    }

    public RecordFormat format() {
        return format;
    }

    /** The schema of the definition, for Avro containers, which only {@code format: avro} allows. */
    public AvroSchema avroSchema() {
        if (format.bare() instanceof AvroSchema avro) {
            return avro;
        }
        throw new IllegalStateException(ingest.qualifiedName() + " does not read Avro");
    }

    /** Creates a translation for one reader. */
    public Translation translation() {
        return Translation.of(format.struct(), selection);
    }

    /** The conditions; null if there are none. */
    @Nullable
    public RecordConditions conditions() {
        return ingest.where().isEmpty() ? null : new RecordConditions(ingest.where(), format.struct());
    }

    public static Limits limits(Ingest ingest) {
        Ingest.Limits limits = ingest.input().limits();
        return new Limits(limits.message(), limits.inflated(), limits.ratio(), limits.depth());
    }

    public Envelope envelope() {
        Ingest.Envelope envelope = ingest.input().envelope();
        return new Envelope(
                Envelope.Compression.valueOf(envelope.compression().name()),
                envelope.messages() == Ingest.Messages.THRIFT_LIST
                                && ingest.input().schema().protocol() == Source.Protocol.COMPACT
                        ? Envelope.Messages.THRIFT_COMPACT_LIST
                        : Envelope.Messages.valueOf(envelope.messages().name()));
    }
}
