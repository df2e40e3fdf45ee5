package io.thalweg.server.read;

import com.google.protobuf.Int64Value;
import com.google.protobuf.Timestamp;
import io.thalweg.api.v1.DoubleList;
import io.thalweg.api.v1.EntityKey;
import io.thalweg.api.v1.EntityValue;
import io.thalweg.api.v1.FeatureRow;
import io.thalweg.api.v1.FeatureValue;
import io.thalweg.api.v1.Finality;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.server.http.RefusedRequestException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Converts keys, values and rows to and from the messages of gRPC. */
public final class GrpcMessages {
    private static final Map<ReadStatus, Byte> STATUSES =
            numbers(ReadStatus.class, each -> status(each).getNumber());
    private static final Map<io.thalweg.model.row.Finality, Byte> FINALITIES =
            numbers(io.thalweg.model.row.Finality.class, each -> finality(each).getNumber());

    private GrpcMessages() {}

    public static Instant instant(Timestamp time) {
        try {
            return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
        } catch (DateTimeException e) {
            throw RefusedRequestException.invalid("as_of: is no time, was " + time.getSeconds() + " s");
        }
    }

    public static Map<String, Object> values(EntityKey key) {
        Map<String, Object> values = new LinkedHashMap<>();
        key.getValuesMap().forEach((name, value) -> {
            Object given = value(value);
            if (given != null) {
                values.put(name, given);
            }
        });
        return values;
    }

    /** Returns the value of an entity; null if none is set. */
    public static @Nullable Object value(EntityValue value) {
        return switch (value.getValueCase()) {
            case STRING_VALUE -> value.getStringValue();
            case INT64_VALUE -> value.getInt64Value();
            case BOOL_VALUE -> value.getBoolValue();
            case VALUE_NOT_SET -> null;
        };
    }

    /** Returns the fields before the rows. */
    static ReadFeaturesResponse head(ReadAnswer answer) {
        ReadFeaturesResponse.Builder out =
                ReadFeaturesResponse.newBuilder().setView(answer.view()).addAllFeatures(answer.features());
        answer.watermarkMs().ifPresent(ms -> out.setWatermark(timestamp(ms)));
        return out.build();
    }

    /** Returns the fields before the values of a row. */
    static FeatureRow.Builder head(ReadAnswer.Row row) {
        FeatureRow.Builder out = FeatureRow.newBuilder()
                .setEntities(key(row.entities()))
                .setStatus(status(row.status()))
                .setFinality(finality(row.finality()));
        row.windowEndMs().ifPresent(ms -> out.setWindowEnd(timestamp(ms)));
        row.ageMs().ifPresent(ms -> out.setAgeMs(Int64Value.of(ms)));
        return out;
    }

    public static io.thalweg.api.v1.Status status(ReadStatus status) {
        return io.thalweg.api.v1.Status.valueOf(status.name());
    }

    public static Finality finality(io.thalweg.model.row.@Nullable Finality finality) {
        return finality == null ? Finality.FINALITY_UNSPECIFIED : Finality.valueOf(finality.name());
    }

    /** The number of a status in the protocol. */
    public static byte number(ReadStatus status) {
        return Objects.requireNonNull(STATUSES.get(status));
    }

    /** The number of a finality in the protocol; 0 if there is none. */
    public static byte number(io.thalweg.model.row.@Nullable Finality finality) {
        return finality == null ? 0 : Objects.requireNonNull(FINALITIES.get(finality));
    }

    /** Looks numbers up once, because finding a constant by its name takes longer than writing a row. */
    private static <E extends Enum<E>> Map<E, Byte> numbers(Class<E> type, ToIntFunction<E> number) {
        Map<E, Byte> numbers = new EnumMap<>(type);
        for (E constant : type.getEnumConstants()) {
            numbers.put(constant, (byte) number.applyAsInt(constant));
        }
        return numbers;
    }

    /** Adds one value per feature; a missing value is unset. */
    static FeatureRow.Builder addValues(FeatureRow.Builder out, @Nullable List<@Nullable Object> values, int features) {
        for (int i = 0; i < features; i++) {
            out.addValues(value(values == null ? null : values.get(i)));
        }
        return out;
    }

    private static FeatureValue value(@Nullable Object value) {
        if (value == null) {
            return FeatureValue.getDefaultInstance();
        }
        FeatureValue.Builder out = FeatureValue.newBuilder();
        if (value instanceof Double decimal) {
            out.setDoubleValue(decimal);
        } else if (value instanceof Long number) {
            out.setInt64Value(number);
        } else if (value instanceof String text) {
            out.setStringValue(text);
        } else if (value instanceof List<?> list) {
            DoubleList.Builder doubles = DoubleList.newBuilder();
            list.forEach(element -> doubles.addValues((Double) element));
            out.setDoubleList(doubles);
        } else {
            out.setIntegerText(value.toString());
        }
        return out.build();
    }

    public static EntityKey key(Map<String, Object> entities) {
        EntityKey.Builder key = EntityKey.newBuilder();
        entities.forEach((name, value) -> {
            EntityValue.Builder out = EntityValue.newBuilder();
            if (value instanceof Long number) {
                out.setInt64Value(number);
            } else if (value instanceof Boolean bool) {
                out.setBoolValue(bool);
            } else {
                out.setStringValue(value.toString());
            }
            key.putValues(name, out.build());
        });
        return key.build();
    }

    public static Timestamp timestamp(long ms) {
        return Timestamp.newBuilder()
                .setSeconds(Math.floorDiv(ms, 1_000L))
                .setNanos((int) Math.floorMod(ms, 1_000L) * 1_000_000)
                .build();
    }
}
