package io.thalweg.kernel.aggregate;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The partials of a table that do not fit into their words, by number. Released numbers are reused.
 *
 * <p><b>Threads.</b> One writer. A {@link #copy} and its original do not see each other's changes.
 */
public final class Spill {
    private final List<@Nullable BigInteger> values;
    private final List<Integer> free;

    public Spill() {
        this(new ArrayList<>(), new ArrayList<>());
    }

    private Spill(List<@Nullable BigInteger> values, List<Integer> free) {
        this.values = values;
        this.free = free;
    }

    public Spill copy() {
        return new Spill(new ArrayList<>(values), new ArrayList<>(free));
    }

    /** The number of values. */
    public int size() {
        return values.size() - free.size();
    }

    BigInteger get(long number) {
        BigInteger value = values.get((int) number);
        if (value == null) {
            throw new IllegalStateException("the spilled value " + number + " was given back");
        }
        return value;
    }

    long add(BigInteger value) {
        if (free.isEmpty()) {
            long number = values.size();
            values.add(value);
            return number;
        }
        int number = free.remove(free.size() - 1);
        values.set(number, value);
        return number;
    }

    void remove(long number) {
        values.set((int) number, null);
        free.add((int) number);
    }

    /** Writes all values with their numbers. */
    public void write(DataOutput out) throws IOException {
        out.writeInt(values.size());
        for (BigInteger value : values) {
            byte[] bytes = value == null ? new byte[0] : value.toByteArray();
            out.writeInt(bytes.length);
            out.write(bytes);
        }
    }

    /** Reads what {@link #write} wrote. */
    public static Spill read(DataInput in) throws IOException {
        Spill spill = new Spill();
        for (int left = in.readInt(); left > 0; left--) {
            byte[] bytes = new byte[in.readInt()];
            in.readFully(bytes);
            if (bytes.length == 0) {
                spill.free.add(spill.values.size());
            }
            spill.values.add(bytes.length == 0 ? null : new BigInteger(bytes));
        }
        return spill;
    }
}
