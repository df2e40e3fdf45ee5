package io.thalweg.formats.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Murmur3Id128Test {
    private final Murmur3Id128 hash = new Murmur3Id128();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | 0000000000000000 | 0000000000000000",
                "hello | cbd8a7b341bd9b02 | 5b1e906a48ae1d19",
                "hello, world | 342fac623a5ebc8e | 4cdcbc079642414d",
                "19 Jan 2038 at 3:14:07 AM | b89e5988b737affc | 664fc2950231b2cb",
                "The quick brown fox jumps over the lazy dog. | cd99481f9ee902c9 | 695da1a38987b6e7",
            })
    void hash_text_isThePublishedValue(String text, String hi, String lo) {
        byte[] bytes = ("~" + text + "~").getBytes(StandardCharsets.UTF_8);
        hash.hash(bytes, 1, bytes.length - 2);
        assertThat(hash.hi()).isEqualTo(Long.parseUnsignedLong(hi, 16));
        assertThat(hash.lo()).isEqualTo(Long.parseUnsignedLong(lo, 16));
    }

    /** SMHasher's own check: the hash of the hashes of 0, 0 1, 0 1 2, … with seeds 256, 255, …. */
    @Test
    void hash_smhasherVerification_isThePublishedValue() {
        byte[] key = new byte[256];
        ByteBuffer hashes = ByteBuffer.allocate(256 * 16).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 256; i++) {
            key[i] = (byte) i;
            hash.hash(key, 0, i, 256 - i);
            hashes.putLong(hash.hi()).putLong(hash.lo());
        }
        hash.hash(hashes.array(), 0, hashes.capacity());
        assertThat((int) hash.hi()).isEqualTo(0x6384BA69);
    }
}
