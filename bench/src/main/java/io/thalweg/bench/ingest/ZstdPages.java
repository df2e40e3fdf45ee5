package io.thalweg.bench.ingest;

import com.github.luben.zstd.Zstd;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;

/** Reads pages compressed by zstd, without Hadoop. */
final class ZstdPages implements CompressionCodecFactory {
    @Override
    public BytesInputCompressor getCompressor(CompressionCodecName codec) {
        throw new UnsupportedOperationException("nothing is written");
    }

    @Override
    public BytesInputDecompressor getDecompressor(CompressionCodecName codec) {
        return switch (codec) {
            case ZSTD -> new Pages(true);
            case UNCOMPRESSED -> new Pages(false);
            default -> throw new IllegalArgumentException("all systems write zstd, but a file has " + codec);
        };
    }

    @Override
    public void release() {
        // Nothing is held.
    }

    private record Pages(boolean compressed) implements BytesInputDecompressor {
        @Override
        public BytesInput decompress(BytesInput bytes, int decompressedSize) throws IOException {
            byte[] page = bytes.toInputStream().readAllBytes();
            return BytesInput.from(compressed ? Zstd.decompress(page, decompressedSize) : page);
        }

        @Override
        public void decompress(ByteBuffer input, int compressedSize, ByteBuffer output, int decompressedSize) {
            byte[] page = new byte[compressedSize];
            input.get(page);
            output.put(compressed ? Zstd.decompress(page, decompressedSize) : page);
        }

        @Override
        public void release() {
            // Nothing is held.
        }
    }
}
