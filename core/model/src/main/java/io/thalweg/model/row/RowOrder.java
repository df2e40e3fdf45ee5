package io.thalweg.model.row;

import io.thalweg.model.bytes.Bytes;
import io.thalweg.model.bytes.BytesReader;

/**
 * The order that decides which of a key's rows is kept: the greater one; of equal ones, the stored row.
 *
 * @param windowEndMs epoch ms
 * @param sequence orders PARTIAL rows of the same window end, 0 for FINAL
 */
public record RowOrder(long windowEndMs, Finality finality, long sequence) implements Comparable<RowOrder> {
    /** Reads what {@link #write} wrote. */
    static RowOrder read(BytesReader in) {
        long windowEndMs = in.u64();
        Finality finality = HexRowCodec.finality(in);
        int from = in.at();
        long sequence = in.varint();
        if (sequence < 0) {
            throw BytesReader.wrong(from, "sequence must be below 2^63");
        }
        return new RowOrder(windowEndMs, finality, sequence);
    }

    /** Skips what {@link #write} wrote. */
    static void skip(BytesReader in) {
        in.skip(Long.BYTES + Byte.BYTES);
        in.varint();
    }

    void write(Bytes out) {
        out.u64(windowEndMs).u8(HexRowCodec.code(finality)).varint(sequence);
    }

    @Override
    public int compareTo(RowOrder other) {
        int byEnd = Long.compare(windowEndMs, other.windowEndMs);
        int byFinality = finality.compareTo(other.finality);
        return byEnd != 0 ? byEnd : byFinality != 0 ? byFinality : Long.compare(sequence, other.sequence);
    }
}
