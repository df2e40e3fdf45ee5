package io.thalweg.feast;

import io.thalweg.model.row.Finality;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a row that Thalweg needs and Feast does not: its order, the definition under which it was written, and the sizes
 * of its disks near a pentagon.
 *
 * <pre>
 * window_end:8 finality:1 sequence:8 shape:4 disk_size:4 ...     big-endian; finality 0 = PARTIAL, 1 = FINAL
 * </pre>
 *
 * @param windowEndMs epoch ms
 * @param shape identifies the layout and the view's measures, rings and windows under which the row was written
 * @param diskSizes true numbers of cells within each ring, or null where all are regular
 */
@SuppressWarnings("ArrayRecordComponent") // short-lived, never compared
public record FeastOrder(long windowEndMs, Finality finality, long sequence, int shape, int @Nullable [] diskSizes) {
    private static final int BYTES = 21;

    public byte[] encode() {
        int[] sizes = diskSizes == null ? new int[0] : diskSizes;
        ByteBuffer out = ByteBuffer.allocate(BYTES + Integer.BYTES * sizes.length)
                .putLong(windowEndMs)
                .put((byte) (finality == Finality.FINAL ? 1 : 0))
                .putLong(sequence)
                .putInt(shape);
        Arrays.stream(sizes).forEach(out::putInt);
        return out.array();
    }

    /** Decodes the result of {@link #encode}; throws IllegalArgumentException for other bytes. */
    static FeastOrder decode(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (bytes.length < BYTES || bytes[8] < 0 || bytes[8] > 1 || (bytes.length - BYTES) % Integer.BYTES != 0) {
            throw new IllegalArgumentException("not the order of a row: " + bytes.length + " bytes");
        }
        long windowEndMs = in.getLong();
        Finality finality = in.get() == 1 ? Finality.FINAL : Finality.PARTIAL;
        long sequence = in.getLong();
        int shape = in.getInt();
        int[] sizes = new int[in.remaining() / Integer.BYTES];
        in.asIntBuffer().get(sizes);
        return new FeastOrder(windowEndMs, finality, sequence, shape, sizes.length == 0 ? null : sizes);
    }
}
