package io.thalweg.formats;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.RideMessages.Encoding;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Events written by the libraries of the formats; columns must be those of the same events in JSON. */
class RecordDecoderTest {
    private static final int EVENTS = 150;

    /** The keys in which the sources of a test differ replace KEYS. */
    static final String RINGS = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: rides_by_cell
            source: {topic: rides, KEYS, event_time: {field: ts}}
            where: {status: {not: [TEST, null]}, seats: {gte: 0, lt: 9}, tags: {exists: true}}
            entities:
              - {name: cell, h3: {lat: lat, lng: lng}}
              - {name: product, field: product}
            measure: {count_distinct: rider.id, type: uuid}
            rings: [0, 1]
            windows: {sizes: [1m, 2m], every: 1m}
            """;

    static final String KEYS = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: rides_by_product
            source: {topic: rides, KEYS, event_time: {field: ts}}
            where: {status: [OPEN, DONE]}
            entities: [{name: product, field: product}, {name: vip, field: vip, type: bool}]
            measures:
              - {name: rides, count: all}
              - {name: fares, sum: fare, where: {fare: {exists: true}}}
              - {name: best, max: fare, where: {fare: {gt: 10}}}
              - {name: seats, mean: seats}
              - {name: total, sum: total, type: int64}
              - {name: riders, count_distinct: rider.id}
              - {name: totals, count_distinct: total, type: int64, where: {rider: {exists: true}}}
            windows: {sizes: [1m, 3m], every: 1m}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    static Stream<Arguments> seedsAndEncodings() {
        return io.thalweg.testing.Seeds.seeds()
                .boxed()
                .flatMap(seed -> Stream.of(Encoding.values()).map(encoding -> Arguments.of(seed, encoding)));
    }

    /** Creates the view of a text over events in JSON or another format. */
    static FeatureView view(String yaml, String keys, Path folder) throws IOException {
        String file = RideMessages.writeSchemas(folder);
        return Definitions.parse(yaml.replace("KEYS", keys), file, new RecordSchemas(Map.of()))
                .views()
                .get(0);
    }

    @ParameterizedTest(name = "seed={0} {1}")
    @MethodSource("seedsAndEncodings")
    void decode_eventsOfALibrary_equalTheSameInJson(long seed, Encoding encoding) throws IOException {
        Random random = new Random(seed);
        for (String yaml : List.of(RINGS, KEYS)) {
            Projection json = Projection.of(List.of(view(yaml, "format: json", folder)));
            Projection binary = Projection.of(List.of(view(yaml, encoding.keys(), folder)));
            EventColumns expected = new EventColumns(json);
            EventColumns found = new EventColumns(binary);
            EventColumns naive = new EventColumns(binary);
            EventDecoder ofJson = EventDecoder.create(json);
            EventDecoder ours = EventDecoder.create(binary);
            EventDecoder plain = RecordDecoder.createNaive(binary);
            for (int i = 0; i < EVENTS; i++) {
                Map<String, Object> ride = RideMessages.ride(random, Views.T0);
                byte[] text = RideMessages.json(ride);
                ofJson.decode(text, 0, text.length, 0, i, expected);
                byte[] message = around(RideMessages.encode(ride, encoding), random);
                int from = message[0];
                ours.decode(message, from, message.length - from - from, 0, i, found);
                plain.decode(message, from, message.length - from - from, 0, i, naive);
            }
            assertThat(values(found, binary.size())).isEqualTo(values(expected, json.size()));
            assertThat(values(naive, binary.size())).isEqualTo(values(expected, json.size()));
        }
    }

    /** Returns the message with as many bytes before and after it as its first byte states. */
    private static byte[] around(byte[] message, Random random) {
        int margin = 1 + random.nextInt(9);
        byte[] around = new byte[margin + message.length + margin];
        random.nextBytes(around);
        around[0] = (byte) margin;
        System.arraycopy(message, 0, around, margin, message.length);
        return around;
    }

    /** Returns all values of all events, with their kinds. */
    static List<List<@Nullable Object>> values(EventColumns events, int columns) {
        List<List<@Nullable Object>> values = new ArrayList<>();
        for (int e = 0; e < events.size(); e++) {
            List<@Nullable Object> event = new ArrayList<>();
            event.add(events.decodeReason(e));
            event.add(events.recordOffset(e));
            for (int c = 0; c < columns; c++) {
                event.add(events.kind(e, c));
                event.add(value(events, e, c));
                event.add(events.shown(e, c));
            }
            values.add(event);
        }
        return values;
    }

    private static @Nullable Object value(EventColumns events, int e, int c) {
        return switch (events.kind(e, c)) {
            case INTEGER -> List.of(events.integer(e, c), events.number(e, c));
            case DOUBLE -> Double.doubleToRawLongBits(events.number(e, c));
            case STRING -> events.string(e, c);
            case BOOL -> events.bool(e, c);
            case MISSING, NULL, LIST, OTHER, INVALID_TEXT -> null;
        };
    }
}
