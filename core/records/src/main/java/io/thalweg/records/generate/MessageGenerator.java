package io.thalweg.records.generate;

import io.thalweg.records.generate.Corruption.Kind;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.records.write.FillableWriter;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Generates encoded messages. Message {@code i} depends only on the schema, the options, the seed and {@code i}, apart from
 * fields with the option {@code now}.
 *
 * <p><b>Size.</b> With the option {@code size}, the size of each message is drawn from the range, and the lengths of its texts
 * are chosen to meet it. The size is exact if the message has a text without {@code values}, {@code distinct} and {@code length},
 * with two exceptions. A single text cannot reach the sizes at which the encoding of its length grows; the message is then one
 * byte short. In formats in which lengths enclose lengths, a few messages in a thousand are a byte or two short. In a schema
 * without such texts, bytes fill the message, as exactly as base64 allows. A message that is too large even with empty texts gets
 * smaller collections, and stays too large if that does not suffice. A message without texts and bytes may stay too small.
 *
 * <p><b>Cost.</b> A {@link FillableWriter} encodes a message once, other writers twice. After warm-up, a message creates no
 * objects.
 *
 * <p><b>Threads.</b> A generator belongs to one thread.
 */
public final class MessageGenerator {
    /** In some formats, the sizes of lengths depend on the enclosed values; a few corrections reach the size. */
    private static final int MOST_CORRECTIONS = 5;

    private static final int MOST_DAMAGES = 64;

    private final RecordGenerator records;
    private final Draw draw;
    private final ByteRecordWriter writer;
    private final @Nullable FillableWriter fillable;
    private final Corruption corruption;
    private final @Nullable Probe probe;
    private final long seed;
    private final @Nullable Between size;
    private final IntUnaryOperator textSize;
    private final Damage damage = new Damage();
    private boolean damaged;

    /** Checks whether a message can be read. */
    public interface Probe {
        /** Returns whether {@code data} in {@code [from, to)} is a good message. */
        boolean isReadable(byte[] data, int from, int to);
    }

    /** Creates a generator whose damaged messages may be readable by chance. */
    public MessageGenerator(
            Struct schema, GeneratorOptions options, Corruption corruption, ByteRecordWriter writer, long seed) {
        this(schema, options, corruption, writer, seed, null);
    }

    /**
     * Creates a generator.
     *
     * @param writer of the same schema
     * @param probe if given, a message is damaged in different places until it is not readable
     * @throws io.thalweg.records.schema.SchemaException if an option does not fit the schema; the message names the field
     */
    public MessageGenerator(
            Struct schema,
            GeneratorOptions options,
            Corruption corruption,
            ByteRecordWriter writer,
            long seed,
            @Nullable Probe probe) {
        this.records = new RecordGenerator(schema, options, seed);
        this.writer = writer;
        this.corruption = corruption;
        this.probe = probe;
        this.seed = seed;
        size = options.size();
        draw = records.draw();
        fillable = writer instanceof FillableWriter later ? later : null;
        textSize = draw.textIsFree() ? writer::textSize : writer::bytesSize;
    }

    /** Sets the time of fields with the option {@code now}, in microseconds since 1970. */
    public void setNow(long micros) {
        records.setNow(micros);
    }

    /** Generates message {@code index}, which is at least 0; returns its length. */
    public int message(long index) {
        Kind kind = corruption.kindOf(seed, index);
        damaged = false;
        if (kind == null) {
            encode(index);
        } else {
            damage(kind, index);
        }
        return to() - from();
    }

    /** Returns the damage of message {@code index}; null if it is good. */
    public @Nullable Kind damageOf(long index) {
        return corruption.kindOf(seed, index);
    }

    /** The array that holds the message; valid until the next message. */
    public byte[] data() {
        return damaged ? damage.data() : writer.data();
    }

    /** The start of the message in {@link #data}. */
    public int from() {
        return damaged ? 0 : writer.from();
    }

    /** The end of the message in {@link #data}. */
    public int to() {
        return damaged ? damage.length() : writer.to();
    }

    /** Returns the size drawn for message {@code index}, before damage; 0 without a range. */
    int target(long index) {
        if (size == null) {
            return 0;
        }
        long bits = SplitMix.hash(~seed, index) >>> 32;
        return size.min() + (int) ((bits * (size.max() - size.min() + 1L)) >>> 32);
    }

    private void encode(long index) {
        if (size == null) {
            draw.sizes.natural();
            write(index);
            return;
        }
        int target = target(index);
        int missing = target - layOut(index, target, size.max());
        if (missing <= 0 || draw.sizes.count() == 0) {
            return;
        }
        if (fillable != null) {
            draw.sizes.solve(missing, textSize);
            fillable.fill(draw.sizes.lengths(), draw);
        } else {
            repeat(index, target, missing);
        }
    }

    /** Encodes the message with empty texts, and with smaller collections if it is too large; returns its size. */
    private int layOut(long index, int target, int max) {
        draw.sizes.measure();
        draw.later = fillable;
        records.restore();
        int written = write(index);
        while (written > (draw.sizes.count() > 0 ? target : max) && records.halve()) {
            written = write(index);
        }
        draw.later = null;
        return written;
    }

    /** Encodes the message with texts, for formats in which lengths enclose lengths, and corrects the lengths of the texts. */
    private void repeat(long index, int target, int missing) {
        int budget = 0;
        int left = missing;
        for (int i = 0; i < MOST_CORRECTIONS && left != 0 && budget + left >= 0; i++) {
            budget += left;
            int unreachable = draw.sizes.solve(budget, textSize);
            left = target - write(index) - unreachable;
        }
        if (left < 0 && budget + left >= 0) { // jumps over the size: prefer too small to too large
            draw.sizes.solve(budget + left, textSize);
            write(index);
        }
    }

    private int write(long index) {
        writer.begin();
        records.again(index, writer);
        writer.end();
        return writer.to() - writer.from();
    }

    private void damage(Kind kind, long index) {
        if (kind == Kind.SPLICE) {
            encode(index + 1);
            damage.keepTail(writer.data(), writer.from(), writer.to());
        }
        encode(index);
        if (kind == Kind.BOMB && writer.claimHugeLength()) {
            return;
        }
        damaged = true;
        for (int i = 0; i < MOST_DAMAGES; i++) {
            long place = SplitMix.hash(SplitMix.hash(seed, index), i);
            damage.make(kind, writer.data(), writer.from(), writer.to(), place);
            if (probe == null || !probe.isReadable(damage.data(), 0, damage.length())) {
                return;
            }
        }
        damage.make(Kind.TRUNCATE, writer.data(), writer.from(), writer.to(), seed);
    }
}
