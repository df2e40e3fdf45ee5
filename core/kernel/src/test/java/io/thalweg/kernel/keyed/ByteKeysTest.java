package io.thalweg.kernel.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ByteKeysTest {
    /** With a hash that barely distinguishes keys, each pane's codes must identify its keys for as long as it is kept. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void code_collidingKeys_standForThemselvesWhilePanesKnowThem(long seed) throws IOException {
        Random random = new Random(seed);
        int hashes = 4 << random.nextInt(10);
        ByteKeys keys = new ByteKeys(key -> Math.floorMod(KeyWord.of(key), hashes));
        TreeMap<Long, Map<Long, String>> panes = new TreeMap<>();
        long oldest = 0;
        for (int i = 0; i < 2_000; i++) {
            String text = text(random);
            long pane = oldest + random.nextInt(4);
            long code = keys.code(bytes(text));
            keys.filled(pane);
            panes.computeIfAbsent(pane, p -> new HashMap<>()).put(code, text);
            if (random.nextInt(40) == 0) {
                oldest++;
                panes.headMap(oldest).clear();
                keys.dropBefore(oldest);
            }
            if (random.nextInt(300) == 0) {
                ByteKeys frozen = keys;
                keys = frozen.copy();
                keys.code(bytes("after the copy " + i));
                keys = read(frozen, key -> Math.floorMod(KeyWord.of(key), hashes));
            }
        }
        Map<Long, String> known = new HashMap<>();
        panes.values()
                .forEach(byCode -> byCode.forEach((code, text) -> {
                    String before = known.put(code, text);
                    assertThat(before == null || before.equals(text)).isTrue();
                }));
        assertThat(new HashSet<>(known.values())).hasSameSizeAs(known.keySet());
        for (Map.Entry<Long, String> entry : known.entrySet()) {
            assertThat(keys.key(entry.getKey())).isEqualTo(bytes(entry.getValue()));
            assertThat(keys.codeIfKnown(bytes(entry.getValue()))).isEqualTo(entry.getKey());
        }
    }

    @Test
    void dropBefore_keysThatAreNotMetAgain_areForgotten() {
        ByteKeys keys = new ByteKeys();
        for (long pane = 0; pane < 100; pane++) {
            for (int i = 0; i < 1_000; i++) {
                keys.code(bytes(pane + "/" + i));
            }
            keys.filled(pane);
            keys.dropBefore(pane);
        }
        assertThat(keys.bytes()).isLessThan(500_000);
        assertThat(keys.codeIfKnown(bytes("3/3"))).isNull();
        assertThatThrownBy(() -> keys.key(KeyWord.of(bytes("3/3")))).hasMessageStartingWith("no key has the code ");
    }

    private static String text(Random random) {
        int length = random.nextInt(200) == 0 ? 70_000 : random.nextInt(3);
        return random.nextInt(500) + "x".repeat(length);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }

    private static ByteKeys read(ByteKeys keys, java.util.function.ToLongFunction<byte[]> hash) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        keys.write(new DataOutputStream(out));
        ByteKeys read = new ByteKeys(hash);
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(out.toByteArray()));
        read.read(in);
        assertThat(in.available()).isZero();
        return read;
    }
}
