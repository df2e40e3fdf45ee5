package io.thalweg.records.generate;

import io.thalweg.records.generate.Corruption.Kind;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.records.write.FillableWriter;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes up encoded messages: message {@code i} depends on the schema, the options, the seed and {@code i} only, apart from the time
 * of fields with the option {@code now}.
 *
 * <p><b>Size.</b> With the option {@code size}, the size of each message is drawn from the range, and the lengths of its texts are
 * chosen so that it is met. It is exact if the message has a text without {@code values}, {@code distinct} and {@code length}, apart
 * from the single sizes that one text alone cannot reach where the encoding of its length grows (one byte short then), and from a few
 * messages in a thousand of formats in which lengths enclose lengths, which are a byte or two short. In a schema
 * without such texts, bytes take their place, as exactly as base64 allows. A message that is too large even with empty texts gets
 * smaller collections, and stays too large if that does not suffice; one without texts and bytes stays as it is if it is too small.
 *
 * <p><b>Cost.</b> A {@link FillableWriter} lays a message out once, another writer twice. After warm-up, a message creates no objects.
 *
 * <p><b>Threads.</b> A generator belongs to one thread.
 */
public final class MessageGenerator {
    /** Lengths of lengths depend on what they enclose in some formats; the size is met after a few corrections. */
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

    /** Answers whether a message can be read. */
    public interface Probe {
        /** Whether {@code data} in {@code [from, to)} is a good message. */
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

    /** Makes message {@code index}, which is at least 0; returns its length. */
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

    /** How message {@code index} is damaged; null if it is good. */
    public @Nullable Kind damageOf(long index) {
        return corruption.kindOf(seed, index);
    }

    /** Holds the message; valid until the next one. */
    public byte[] data() {
        return damaged ? damage.data() : writer.data();
    }

    /** Where the message begins in {@link #data}. */
    public int from() {
        return damaged ? 0 : writer.from();
    }

    /** Where the message ends in {@link #data}. */
    public int to() {
        return damaged ? damage.length() : writer.to();
    }

    /** The size that was drawn for message {@code index}, before damage; 0 if there is no range. */
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

    /** Encodes the message with texts, for formats in which lengths enclose lengths, and corrects those of texts. */
    private void repeat(long index, int target, int missing) {
        int budget = 0;
        int left = missing;
        for (int i = 0; i < MOST_CORRECTIONS && left != 0 && budget + left >= 0; i++) {
            budget += left;
            int unreachable = draw.sizes.solve(budget, textSize);
            left = target - write(index) - unreachable;
        }
        if (left < 0 && budget + left >= 0) { // jumps over the size: rather too small than too large
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
