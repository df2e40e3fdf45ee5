package io.thalweg.formats;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.xerial.snappy.Snappy;

/** Undoes the compression of Parquet's pages, without Hadoop, whose codecs Parquet would take otherwise. */
final class ParquetCodecs implements CompressionCodecFactory {
    private interface Decompression {
        void decompress(byte[] from, byte[] to) throws IOException;
    }

    @Override
    public BytesInputCompressor getCompressor(CompressionCodecName codec) {
        throw new UnsupportedOperationException("tables are read, not written");
    }

    @Override
    public BytesInputDecompressor getDecompressor(CompressionCodecName codec) {
        return switch (codec) {
            case UNCOMPRESSED -> new Pages((from, to) -> System.arraycopy(from, 0, to, 0, to.length));
            case SNAPPY -> new Pages((from, to) -> Snappy.uncompress(from, 0, from.length, to, 0));
            case GZIP -> new Pages(ParquetCodecs::gunzip);
            case ZSTD -> new Pages(ParquetCodecs::unzstd);
            default ->
                throw new UncheckedIOException(new IOException("pages are compressed by " + codec
                        + ", which is not supported in this version; write them with snappy, zstd or gzip"));
        };
    }

    private static void gunzip(byte[] from, byte[] to) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(from))) {
            if (in.readNBytes(to, 0, to.length) < to.length) {
                throw new IOException("a page ends too early");
            }
        }
    }

    private static void unzstd(byte[] from, byte[] to) throws IOException {
        long length = Zstd.decompressByteArray(to, 0, to.length, from, 0, from.length);
        if (Zstd.isError(length)) {
            throw new IOException("a page is damaged: " + Zstd.getErrorName(length));
        }
    }

    @Override
    public void release() {
        // Nothing is held.
    }

    private record Pages(Decompression how) implements BytesInputDecompressor {
        @Override
        public BytesInput decompress(BytesInput bytes, int decompressedSize) throws IOException {
            byte[] page = new byte[decompressedSize];
            how.decompress(bytes.toInputStream().readAllBytes(), page);
            return BytesInput.from(page);
        }

        @Override
        public void decompress(ByteBuffer input, int compressedSize, ByteBuffer output, int decompressedSize)
                throws IOException {
            byte[] compressed = new byte[compressedSize];
            input.get(compressed);
            byte[] page = new byte[decompressedSize];
            how.decompress(compressed, page);
            output.put(page);
        }

        @Override
        public void release() {
            // Nothing is held.
        }
    }
}
