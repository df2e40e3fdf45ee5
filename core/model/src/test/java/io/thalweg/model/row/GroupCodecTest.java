package io.thalweg.model.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.Views;
import io.thalweg.model.view.Entity;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GroupCodecTest {
    private static final List<Entity.Field> FIELDS = Views.small().group();
    private static final String UUID_TEXT = "17a2b60c-29dd-5f76-95f3-b65da5cbbdbe";

    static LongStream seeds() {
        return new Random().longs(200);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void decode_anyGroup_givesItBack(long seed) {
        List<Object> group = random(FIELDS, new Random(seed));
        GroupCodec codec = new GroupCodec(FIELDS);
        assertThat(codec.decode(codec.encode(group))).isEqualTo(group);
    }

    /** The encoding is injective: decoded bytes encode to the same bytes, so no two byte sequences mean the same group. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void decode_damagedBytes_isRefusedOrCanonical(long seed) {
        Random random = new Random(seed);
        GroupCodec codec = new GroupCodec(FIELDS);
        byte[] whole = codec.encode(random(FIELDS, random));
        for (int i = 0; i < 100; i++) {
            byte[] bytes = Arrays.copyOf(whole, random.nextBoolean() ? whole.length : random.nextInt(whole.length + 2));
            if (bytes.length > 0) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                assertThat(codec.encode(codec.decode(bytes))).isEqualTo(bytes);
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageStartingWith("at byte ");
            }
        }
    }

    @Test
    void encode_uuid_takes16Bytes() {
        List<Entity.Field> one = List.of(FIELDS.get(0));
        assertThat(new GroupCodec(one).encode(List.of(UUID_TEXT))).hasSize(16);
    }

    @Test
    void encode_uuidInUpperCase_namesTheEntity() {
        List<Entity.Field> one = List.of(FIELDS.get(0));
        assertThatThrownBy(() -> new GroupCodec(one).encode(List.of(UUID_TEXT.toUpperCase(java.util.Locale.ROOT))))
                .hasMessageStartingWith("entity product must be a lower-case UUID");
        assertThatThrownBy(() -> new GroupCodec(one).encode(List.of("1-2-3-4-5")))
                .hasMessageStartingWith("entity product must be a lower-case UUID");
    }

    @Test
    void encode_wrongType_namesTheEntity() {
        assertThatThrownBy(() -> new GroupCodec(FIELDS).encode(List.of(UUID_TEXT, "7", "x", true)))
                .hasMessage("entity city must be int64, was String '7'");
    }

    static List<Object> random(List<Entity.Field> fields, Random random) {
        List<Object> group = new ArrayList<>();
        for (Entity.Field field : fields) {
            group.add(
                    switch (field.type()) {
                        case STRING -> text(random);
                        case INT64 -> random.nextLong() >> random.nextInt(64);
                        case BOOL -> random.nextBoolean();
                        case UUID -> new UUID(random.nextLong(), random.nextLong()).toString();
                    });
        }
        return group;
    }

    /** Returns text that also contains quotes, control characters, all planes, and sometimes a lone surrogate. */
    static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            int point = random.nextInt(0x110000) >>> random.nextInt(21);
            boolean surrogate = point >= 0xD800 && point < 0xE000;
            text.appendCodePoint(surrogate && random.nextInt(10) > 0 ? '"' : point);
        }
        return text.toString();
    }
}
