package io.thalweg.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.model.row.DoubleValues;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.ReadStatus;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks that the hand-written encoding equals that of the message. */
class GrpcRowsTest {
    static ReadAnswer answer(Random random) {
        int features = random.nextInt(60);
        List<String> names = IntStream.range(0, features).mapToObj(i -> "f" + i).toList();
        List<ReadAnswer.Row> rows = new ArrayList<>();
        for (int i = random.nextInt(50); i > 0; i--) {
            rows.add(row(random, features));
        }
        return new ReadAnswer("demand", time(random), names, rows);
    }

    private static ReadAnswer.Row row(Random random, int features) {
        ReadStatus[] statuses = ReadStatus.values();
        return new ReadAnswer.Row(
                entities(random),
                statuses[random.nextInt(statuses.length)],
                random.nextBoolean() ? Finality.FINAL : null,
                time(random),
                time(random),
                values(random, features));
    }

    private static Map<String, Object> entities(Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> Map.of();
            case 1 -> Map.of("town", "Zürich", "empty", "", "zero", 0L);
            default -> Map.of("cell", "892a1008003ffff", "city", random.nextLong(), "open", random.nextBoolean());
        };
    }

    private static OptionalLong time(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> OptionalLong.empty();
            case 1 -> OptionalLong.of(0);
            case 2 -> OptionalLong.of(1_000L * random.nextInt());
            default -> OptionalLong.of(random.nextLong() >> 20);
        };
    }

    private static @Nullable List<@Nullable Object> values(Random random, int features) {
        return switch (random.nextInt(4)) {
            case 0 -> null;
            case 1 -> DoubleValues.zeros(features);
            case 2 ->
                new DoubleValues(random.doubles(features + 1).toArray())
                        .at(random.ints(features, 0, features + 1).toArray());
            default -> {
                @Nullable
                Object[] some = {
                    null, 1.5, 0.0, 7L, Long.MIN_VALUE, BigInteger.TWO.pow(70), "Zürich", List.of(0.5, 2.0), List.of()
                };
                yield Arrays.asList(random.ints(features, 0, some.length)
                        .mapToObj(i -> some[i])
                        .toArray(Object[]::new));
            }
        };
    }

    private static ReadFeaturesResponse message(ReadAnswer answer) {
        ReadFeaturesResponse.Builder message = GrpcMessages.head(answer).toBuilder();
        for (ReadAnswer.Row row : answer.rows()) {
            message.addRows(GrpcMessages.addValues(
                    GrpcMessages.head(row), row.values(), answer.features().size()));
        }
        return message.build();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void bytes_anyAnswer_hasTheBytesOfTheMessage(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 50; i++) {
            ReadAnswer answer = answer(random);
            byte[] written = GrpcRows.bytes(answer);
            assertThat(written).isEqualTo(message(answer).toByteArray());
        }
    }
}
