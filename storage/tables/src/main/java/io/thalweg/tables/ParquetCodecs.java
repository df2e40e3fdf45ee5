package io.thalweg.tables;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import io.thalweg.records.ClaimedSize;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.xerial.snappy.Snappy;

/**
 * Compresses and decompresses Parquet's pages without Hadoop, whose codecs Parquet would use otherwise: snappy, gzip, zstd, or
 * none. Other codecs are refused.
 *
 * <p><b>Threads.</b> Safe to share, as are the codecs that it returns.
 */
public final class ParquetCodecs implements CompressionCodecFactory {
    private interface Decompression {
        void decompress(byte[] from, byte[] to) throws IOException;
    }

    @Override
    public BytesInputCompressor getCompressor(CompressionCodecName codec) {
        return new Compressor(codec);
    }

    @Override
    public BytesInputDecompressor getDecompressor(CompressionCodecName codec) {
        return switch (codec) {
            case UNCOMPRESSED -> new Pages((from, to) -> System.arraycopy(from, 0, to, 0, to.length));
            case SNAPPY -> new Pages(ParquetCodecs::unsnappy);
            case GZIP -> new Pages(ParquetCodecs::gunzip);
            case ZSTD -> new Pages(ParquetCodecs::unzstd);
            default ->
                throw new UncheckedIOException(new IOException("pages are compressed by " + codec
                        + ", which is not supported in this version; write them with snappy, zstd or gzip"));
        };
    }

    private record Compressor(CompressionCodecName codec) implements BytesInputCompressor {
        @Override
        public BytesInput compress(BytesInput bytes) throws IOException {
            return switch (codec) {
                case UNCOMPRESSED -> bytes;
                case SNAPPY -> BytesInput.from(Snappy.compress(array(bytes)));
                case ZSTD -> BytesInput.from(Zstd.compress(array(bytes)));
                case GZIP -> BytesInput.from(gzip(array(bytes)));
                default ->
                    throw new IOException("pages cannot be compressed by " + codec + "; use snappy, zstd or gzip");
            };
        }

        @Override
        public CompressionCodecName getCodecName() {
            return codec;
        }

        @Override
        public void release() {
            // Nothing is held.
        }
    }

    /** Copies a page once; {@code readAllBytes} would copy it several times. */
    private static byte[] array(BytesInput bytes) throws IOException {
        byte[] page = new byte[Math.toIntExact(bytes.size())];
        int read = bytes.toInputStream().readNBytes(page, 0, page.length);
        requireSize(read, page.length);
        return page;
    }

    private static byte[] gzip(byte[] page) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(page);
        }
        return out.toByteArray();
    }

    private static void gunzip(byte[] from, byte[] to) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(from))) {
            if (in.readNBytes(to, 0, to.length) < to.length) {
                throw new IOException("a page ends too early");
            }
        }
    }

    private static void unsnappy(byte[] from, byte[] to) throws IOException {
        // Snappy writes as many bytes as the page claims, even beyond the end of the array.
        requireSize(ClaimedSize.ofSnappy(from, 0, from.length), to.length);
        int length = Snappy.uncompress(from, 0, from.length, to, 0);
        requireSize(length, to.length);
    }

    private static void unzstd(byte[] from, byte[] to) throws IOException {
        try {
            requireSize(Zstd.decompressByteArray(to, 0, to.length, from, 0, from.length), to.length);
        } catch (ZstdException e) {
            throw new IOException("a page is damaged: " + e.getMessage(), e);
        }
    }

    private static void requireSize(long size, int expected) throws IOException {
        if (size != expected) {
            throw new IOException("a page is damaged: it holds %s bytes, but its header says %d"
                    .formatted(ClaimedSize.text(size), expected));
        }
    }

    @Override
    public void release() {
        // Nothing is held.
    }

    private record Pages(Decompression how) implements BytesInputDecompressor {
        /** Returns a page. One without values, such as of nulls only, may be no bytes, which are not a stream of the codec. */
        private byte[] page(byte[] compressed, int decompressedSize) throws IOException {
            byte[] page = new byte[decompressedSize];
            if (compressed.length > 0 || decompressedSize > 0) {
                how.decompress(compressed, page);
            }
            return page;
        }

        @Override
        public BytesInput decompress(BytesInput bytes, int decompressedSize) throws IOException {
            return BytesInput.from(page(array(bytes), decompressedSize));
        }

        @Override
        public void decompress(ByteBuffer input, int compressedSize, ByteBuffer output, int decompressedSize)
                throws IOException {
            byte[] compressed = new byte[compressedSize];
            input.get(compressed);
            output.put(page(compressed, decompressedSize));
        }

        @Override
        public void release() {
            // Nothing is held.
        }
    }
}
