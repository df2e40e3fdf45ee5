package io.thalweg.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor;
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputDecompressor;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ParquetCodecsTest {
    private static final int[] SIZES = {0, 1, 100, 70_000, 1_000, 3_000_000, 5};

    private final ParquetCodecs codecs = new ParquetCodecs();

    /** Bytes that compress by about half. */
    private static byte[] page(int size) {
        byte[] page = new byte[size];
        new Random(size).nextBytes(page);
        for (int i = 0; i < size; i++) {
            page[i] &= 15;
        }
        return page;
    }

    private byte[] compressed(CompressionCodecName codec, byte[] page) throws IOException {
        return array(codecs.getCompressor(codec).compress(BytesInput.from(page)));
    }

    private static byte[] array(BytesInput bytes) throws IOException {
        return bytes.toInputStream().readAllBytes();
    }

    /** Writers of pages of version 2 omit values that a page does not have; no codec compresses to no bytes. */
    @ParameterizedTest
    @EnumSource(names = {"UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD"})
    void decompress_pageOfNoBytes_isEmpty(CompressionCodecName codec) throws IOException {
        BytesInputDecompressor decompressor = codecs.getDecompressor(codec);

        assertThat(array(decompressor.decompress(BytesInput.empty(), 0))).isEmpty();
        ByteBuffer into = ByteBuffer.allocate(0);
        decompressor.decompress(ByteBuffer.allocate(0), 0, into, 0);
        assertThatThrownBy(() -> decompressor.decompress(BytesInput.empty(), 1));
    }

    @ParameterizedTest
    @EnumSource(names = {"UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD"})
    void decompress_pagesOfAnySize_areThoseCompressed(CompressionCodecName codec) throws IOException {
        BytesInputCompressor compressor = codecs.getCompressor(codec);
        BytesInputDecompressor decompressor = codecs.getDecompressor(codec);
        for (int size : SIZES) {
            byte[] page = page(size);
            byte[] start = page(size / 3);
            byte[] end = Arrays.copyOfRange(page, size / 3, size);
            System.arraycopy(start, 0, page, 0, start.length);

            BytesInput compressed =
                    compressor.compress(BytesInput.concat(BytesInput.from(start), BytesInput.from(end)));

            assertThat(compressor.getCodecName()).isEqualTo(codec);
            assertThat(array(decompressor.decompress(compressed, size))).isEqualTo(page);
            ByteBuffer into = ByteBuffer.allocate(size);
            decompressor.decompress(ByteBuffer.wrap(array(compressed)), (int) compressed.size(), into, size);
            assertThat(into.array()).isEqualTo(page);
        }
    }

    /** The result of compress is kept until the row group ends, after other pages have been compressed. */
    @ParameterizedTest
    @EnumSource(names = {"SNAPPY", "GZIP", "ZSTD"})
    void compress_nextPage_leavesTheLastAsItWas(CompressionCodecName codec) throws IOException {
        BytesInputCompressor compressor = codecs.getCompressor(codec);
        BytesInput first = compressor.compress(BytesInput.from(page(1_000)));
        BytesInput second = compressor.compress(BytesInput.from(new byte[500]));

        assertThat(array(first)).isEqualTo(compressed(codec, page(1_000)));
        assertThat(array(second)).isEqualTo(compressed(codec, new byte[500]));
    }

    @ParameterizedTest
    @EnumSource(names = {"SNAPPY", "GZIP", "ZSTD"})
    void decompress_truncatedPage_isDamaged(CompressionCodecName codec) throws IOException {
        byte[] whole = compressed(codec, page(1_000));
        byte[] cut = Arrays.copyOf(whole, whole.length - 20);

        assertThatThrownBy(() -> codecs.getDecompressor(codec).decompress(BytesInput.from(cut), 1_000))
                .isInstanceOf(IOException.class);
    }

    /** The size in a page's header determines how much memory is written. */
    @ParameterizedTest
    @EnumSource(names = {"SNAPPY", "ZSTD"})
    void decompress_pageOfAnotherSize_isDamaged(CompressionCodecName codec) throws IOException {
        byte[] page = compressed(codec, page(1_000));

        for (int size : new int[] {1, 999, 1_001, 5_000}) {
            assertThatThrownBy(() -> codecs.getDecompressor(codec).decompress(BytesInput.from(page), size))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("a page is damaged");
        }
    }

    @Test
    void getDecompressor_codecThatIsNotSupported_namesThoseThatAre() {
        assertThatThrownBy(() -> codecs.getDecompressor(CompressionCodecName.LZ4_RAW))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("LZ4_RAW")
                .hasMessageContaining("snappy, zstd or gzip");
    }
}
