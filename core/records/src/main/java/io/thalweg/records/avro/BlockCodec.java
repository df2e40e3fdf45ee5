package io.thalweg.records.avro;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.thalweg.records.ClaimedSize;
import io.thalweg.records.RecordFault;
import java.io.Closeable;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.xerial.snappy.Snappy;

/** Decompresses the blocks of a container. */
abstract class BlockCodec implements Closeable {
    /** Thrown for a block that its codec cannot read. */
    static final class DamagedBlockException extends Exception {
        private static final long serialVersionUID = 1L;

        DamagedBlockException(String problem) {
            super(problem);
        }
    }

    static BlockCodec of(String name) throws IOException {
        return switch (name) {
            case "null" -> new Uncompressed();
            case "deflate" -> new Deflate();
            case "snappy" -> new SnappyWithChecksum();
            case "zstandard" -> new Zstandard();
            default ->
                throw new DamagedContainerException(
                        RecordFault.UNKNOWN_CODEC,
                        "the Avro container has codec '" + name
                                + "', which is not supported; rewrite it with null, deflate, snappy or zstandard");
        };
    }

    /**
     * Decompresses a block.
     *
     * @param out may be used for the result
     * @param most maximum number of bytes; a longer result is not complete
     * @return the result, in {@code out} or {@code block}
     */
    abstract BlockBuffer inflate(BlockBuffer block, BlockBuffer out, int most) throws DamagedBlockException;

    @Override
    public void close() {}

    private static final class Uncompressed extends BlockCodec {
        @Override
        BlockBuffer inflate(BlockBuffer block, BlockBuffer out, int most) {
            return block;
        }
    }

    private static final class Deflate extends BlockCodec {
        private final Inflater inflater = new Inflater(true);

        @Override
        BlockBuffer inflate(BlockBuffer block, BlockBuffer out, int most) throws DamagedBlockException {
            inflater.reset();
            inflater.setInput(block.bytes, 0, block.length);
            out.length = 0;
            try {
                // Trailing bytes are ignored: Avro for Python leaves a part of zlib's checksum there.
                while (!inflater.finished() && out.length <= most) {
                    if (out.room() == 0) {
                        out.grow(most + 1);
                    }
                    int read = inflater.inflate(out.bytes, out.length, out.room());
                    if (read == 0 && !inflater.finished()) {
                        throw new DamagedBlockException("it is cut off");
                    }
                    out.length += read;
                }
            } catch (DataFormatException e) {
                throw new DamagedBlockException(String.valueOf(e.getMessage()));
            }
            return out;
        }

        @Override
        public void close() {
            inflater.end();
        }
    }

    /** Snappy's raw format, and the checksum of the decompressed bytes. */
    private static final class SnappyWithChecksum extends BlockCodec {
        private static final VarHandle CHECKSUM =
                MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
        private static final int CHECKSUM_SIZE = 4;

        /** A copy of 64 bytes takes three. */
        private static final int HIGHEST_RATIO = 22;

        private final CRC32 crc = new CRC32();

        @Override
        BlockBuffer inflate(BlockBuffer block, BlockBuffer out, int most) throws DamagedBlockException {
            int length = block.length - CHECKSUM_SIZE;
            if (length < 1) {
                throw new DamagedBlockException("it is cut off");
            }
            try {
                long claimed = ClaimedSize.ofSnappy(block.bytes, 0, length);
                // The native code writes as many bytes as the block claims.
                if (claimed < 0 || claimed > (long) length * HIGHEST_RATIO) {
                    throw new DamagedBlockException(
                            "%d bytes of snappy cannot hold %s".formatted(length, ClaimedSize.text(claimed)));
                }
                out.length = (int) claimed;
                if (out.length > most) {
                    return out;
                }
                while (out.bytes.length < out.length) {
                    out.grow(out.length);
                }
                Snappy.uncompress(block.bytes, 0, length, out.bytes, 0);
            } catch (IOException e) {
                throw new DamagedBlockException(String.valueOf(e.getMessage()));
            }
            crc.reset();
            crc.update(out.bytes, 0, out.length);
            if ((int) crc.getValue() != (int) CHECKSUM.get(block.bytes, length)) {
                throw new DamagedBlockException("its checksum does not match");
            }
            return out;
        }
    }

    private static final class Zstandard extends BlockCodec {
        private final ZstdDecompressCtx context = new ZstdDecompressCtx();

        /**
         * {@inheritDoc}
         *
         * <p>Decompresses in one call, and retries with more memory if there was too little. A stream would allocate the window
         * that the block claims.
         */
        @Override
        BlockBuffer inflate(BlockBuffer block, BlockBuffer out, int most) throws DamagedBlockException {
            while (true) {
                try {
                    int room = Math.min(out.bytes.length, most);
                    out.length = context.decompressByteArray(out.bytes, 0, room, block.bytes, 0, block.length);
                    return out;
                } catch (ZstdException e) {
                    if (e.getErrorCode() != Zstd.errDstSizeTooSmall()) {
                        throw new DamagedBlockException(String.valueOf(e.getMessage()));
                    }
                }
                if (out.bytes.length >= most) {
                    out.length = most + 1;
                    return out;
                }
                out.grow(most);
            }
        }

        @Override
        public void close() {
            context.close();
        }
    }
}
