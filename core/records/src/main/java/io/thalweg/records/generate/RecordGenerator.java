package io.thalweg.records.generate;

import io.thalweg.records.RecordWriter;
import io.thalweg.records.schema.Struct;

/**
 * Generates the records of a schema. Record {@code i} depends only on the schema, the options, the seed and {@code i}, so that
 * generators with the same seed agree at any parallelism and in any order.
 *
 * <p><b>Clock.</b> Fields with the option {@code now} take the time given to {@link #setNow}, by default 2026-01-01.
 *
 * <p><b>Text.</b> Texts are lower-case letters and digits of at most 32 bytes; see {@link MessageGenerator} for messages of a
 * given size. A type that contains itself is left out.
 *
 * <p><b>Threads.</b> A generator belongs to one thread.
 */
public final class RecordGenerator {
    private static final long NEW_YEAR_2026_MICROS = 1_767_225_600_000_000L;
    private static final int MOST_HALVINGS = 31;

    private final GeneratorOptions options;
    private final long seed;
    private final Containers.Fields fields;
    private final Draw draw;

    /**
     * Creates a generator.
     *
     * @throws io.thalweg.records.schema.SchemaException if an option does not fit the schema; the message names the field
     */
    public RecordGenerator(Struct schema, GeneratorOptions options, long seed) {
        this.options = options;
        this.seed = seed;
        SourceCompiler compiler = new SourceCompiler(schema, options, seed);
        fields = compiler.compile(schema);
        draw = new Draw(compiler.textIsFree());
        draw.nowMicros = NEW_YEAR_2026_MICROS;
    }

    /** Sets the time of fields with the option {@code now}, in microseconds since 1970. */
    public void setNow(long micros) {
        draw.nowMicros = micros;
    }

    /** Reports record {@code index}, in the order of the schema. */
    public void emit(long index, RecordWriter writer) {
        draw.sizes.natural();
        draw.halvings = 0;
        again(index, writer);
    }

    /** Reports a record with the sizes of texts and collections that {@link Draw#sizes} and {@link #halve} left. */
    void again(long index, RecordWriter writer) {
        long start = SplitMix.hash(seed, index);
        draw.random.reseed(start);
        draw.characters.reseed(~start);
        draw.sizes.begin();
        fields.emit(draw, writer, 0);
    }

    Draw draw() {
        return draw;
    }

    GeneratorOptions options() {
        return options;
    }

    /** Restores the full sizes of lists and maps. */
    void restore() {
        draw.halvings = 0;
    }

    /** Halves the sizes of lists and maps; returns whether that may make the record smaller. */
    boolean halve() {
        Between collections = options.collections();
        boolean smaller = draw.halvings < MOST_HALVINGS && (collections.max() - collections.min()) >> draw.halvings > 0;
        draw.halvings++;
        return smaller;
    }
}
