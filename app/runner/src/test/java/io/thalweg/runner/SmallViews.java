package io.thalweg.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Views like those of the examples, with so few rings and windows that people can read their rows. */
public final class SmallViews {
    /** The view {@code keys}: distinct riders per product, exactly once, of the events of a {@code RiderFeed} in the topic {@code events}. */
    public static final String KEYS = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: keys
            source:
              topic: events
              start: earliest
              format: json
              event_time: {field: ts, unit: ms}
              max_out_of_orderness: 10s
              idle_after: 1h
            where: {event_type: [request, app_open]}
            entities: [{name: product, field: product_id, type: uuid}]
            measures: [{name: riders, count_distinct: rider_id, type: uuid}]
            windows: {sizes: [1m, 4m], every: 1m}
            sink: {topic: events-keys, format: json, delivery: exactly_once}
            """;

    private SmallViews() {}

    /** Distinct riders per hexagon, for events that contain latitude and longitude. */
    public static Path demand(Path folder) throws IOException {
        return write(folder, "demand", "rider-events", "rider_id", "h3: {lat: lat, lng: lng, resolution: 9}", "json");
    }

    /** The same events, which also name their cell, counted by it. */
    public static Path cells(Path folder) throws IOException {
        return write(folder, "cells", "rider-events", "rider_id", "h3: {cell: hexagon, resolution: 9}", "json");
    }

    /** Distinct drivers, from a topic of their own. */
    public static Path supply(Path folder) throws IOException {
        return write(folder, "supply", "driver-events", "driver_id", "h3: {lat: lat, lng: lng, resolution: 9}", "json");
    }

    /** Like {@link #demand}, from CSV. */
    public static Path csv(Path folder) throws IOException {
        return write(folder, "demand_csv", "rider-csv", "rider_id", "h3: {lat: lat, lng: lng, resolution: 9}", "csv");
    }

    private static Path write(Path folder, String name, String topic, String id, String cell, String format)
            throws IOException {
        return Files.writeString(folder.resolve(name + ".yaml"), """
                apiVersion: thalweg/v1
                kind: FeatureView
                name: %s
                source:
                  topic: %s
                  format: %s
                  event_time: {field: ts, unit: ms}
                  max_out_of_orderness: 10s
                where: {event_type: [request, app_open, available, dropoff]}
                entities:
                  - {name: cell, %s}
                  - {name: product, field: product_id, type: uuid}
                measure: {count_distinct: %s, type: uuid}
                rings: [0, 1]
                windows: {sizes: [1m, 2m], every: 1m}
                online: {ttl: 10m}
                """.formatted(name, topic, format, cell, id));
    }
}
