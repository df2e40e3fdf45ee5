package io.thalweg.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import io.thalweg.api.v1.AnswerForm;
import io.thalweg.api.v1.EntityKey;
import io.thalweg.api.v1.EntityValue;
import io.thalweg.api.v1.ReadFeaturesRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares with the message's own parser. */
class GrpcKeysTest {
    private static final UnknownFieldSet UNKNOWN = UnknownFieldSet.newBuilder()
            .addField(99, UnknownFieldSet.Field.newBuilder().addVarint(7).build())
            .build();

    private static @Nullable GrpcKeys byTheMessage(byte[] bytes) {
        try {
            ReadFeaturesRequest request = ReadFeaturesRequest.parseFrom(bytes);
            return new GrpcKeys(
                    request.getEntitiesList().stream().map(GrpcMessages::values).toList(),
                    request.toBuilder().clearEntities().build());
        } catch (InvalidProtocolBufferException e) {
            return null;
        }
    }

    private static @Nullable GrpcKeys parsed(byte[] bytes) throws IOException {
        try {
            return GrpcKeys.of(bytes);
        } catch (InvalidProtocolBufferException e) {
            return null;
        }
    }

    private static EntityValue value(Random random) {
        EntityValue.Builder value = EntityValue.newBuilder();
        switch (random.nextInt(5)) {
            case 0 -> value.setStringValue("Zürich");
            case 1 -> value.setInt64Value(random.nextLong());
            case 2 -> value.setBoolValue(random.nextBoolean());
            case 3 -> value.setStringValue("").setUnknownFields(UNKNOWN);
            default -> {}
        }
        return value.build();
    }

    /** Returns a message whose fields come in any order, with maps that name an entity twice. */
    private static byte[] message(Random random) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int part = random.nextInt(8); part > 0; part--) {
            switch (random.nextInt(4)) {
                case 0 ->
                    ReadFeaturesRequest.newBuilder()
                            .setView("demand")
                            .addFeatures("k0_1m")
                            .build()
                            .writeTo(bytes);
                case 1 ->
                    ReadFeaturesRequest.newBuilder()
                            .setForm(AnswerForm.COLUMNS)
                            .setUnknownFields(UNKNOWN)
                            .build()
                            .writeTo(bytes);
                default -> key(random, bytes);
            }
        }
        return bytes.toByteArray();
    }

    private static void key(Random random, ByteArrayOutputStream bytes) throws IOException {
        ByteString key = ByteString.EMPTY;
        for (int entry = random.nextInt(4); entry > 0; entry--) {
            key = key.concat(EntityKey.newBuilder()
                    .putValues(List.of("cell", "city").get(random.nextInt(2)), value(random))
                    .build()
                    .toByteString());
        }
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        out.writeBytes(ReadFeaturesRequest.ENTITIES_FIELD_NUMBER, key);
        out.flush();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void of_anyMessage_isWhatItsOwnParserReads(long seed) throws IOException {
        Random random = new Random(seed);
        for (int i = 0; i < 200; i++) {
            byte[] bytes = message(random);
            assertThat(parsed(bytes)).isNotNull().isEqualTo(byTheMessage(bytes));
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void of_damagedMessage_failsWhereItsOwnParserDoes(long seed) throws IOException {
        Random random = new Random(seed);
        for (int i = 0; i < 500; i++) {
            byte[] bytes = message(random);
            if (bytes.length > 0) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                assertThat(parsed(bytes))
                        .as(() -> Map.of("bytes", bytes).toString())
                        .isEqualTo(byTheMessage(bytes));
            }
        }
    }
}
