package io.thalweg.bench.rivals;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.FunctionHint;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.functions.ScalarFunction;
import org.apache.flink.table.functions.TableFunction;
import org.apache.flink.types.Row;
import org.jspecify.annotations.Nullable;

/**
 * The same in Flink SQL: a tumbling window counts distinct riders, a table function spreads each count over the disk around it, a
 * hopping window per size sums them (Flink shares its panes), and a last window combines the sizes into a row.
 */
final class SqlDesign {
    private SqlDesign() {}

    /** The cell that contains a point. */
    public static final class Cell extends ScalarFunction {
        /** Called by the planner's code. */
        public @Nullable Long eval(@Nullable Double lat, @Nullable Double lng) {
            return lat == null || lng == null ? null : Hexagons.cell(lat, lng);
        }
    }

    /** The cells around a cell, each with the index of the smallest ring that reaches it. */
    @FunctionHint(output = @DataTypeHint("ROW<near BIGINT, ring INT>"))
    public static final class Around extends TableFunction<Row> {
        /** Called by the planner's code. */
        public void eval(@Nullable Long cell) {
            if (cell != null) {
                Hexagons.forEachAround(cell, (near, ring) -> collect(Row.of(near, ring)));
            }
        }
    }

    static void build(StreamExecutionEnvironment environment, String bootstrap, String events, String rows) {
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        // Flink's best setting: combines sums before the exchange of every window.
        tables.getConfig().set("table.optimizer.agg-phase-strategy", "TWO_PHASE");
        tables.createTemporarySystemFunction("H3_CELL", Cell.class);
        tables.createTemporarySystemFunction("H3_AROUND", Around.class);
        tables.executeSql("""
                CREATE TABLE events (
                  event_type STRING, rider_id STRING, product_id STRING, lat DOUBLE, lng DOUBLE, ts BIGINT,
                  t AS TO_TIMESTAMP_LTZ(ts, 3), WATERMARK FOR t AS t - INTERVAL '10' SECOND)
                WITH ('connector' = 'kafka', 'properties.bootstrap.servers' = '%s', 'topic' = '%s',
                  'properties.group.id' = 'rival', 'scan.startup.mode' = 'earliest-offset', 'format' = 'json')
                """.formatted(bootstrap, events));
        tables.executeSql("""
                CREATE TEMPORARY VIEW wanted AS
                SELECT t, H3_CELL(lat, lng) AS cell, product_id, rider_id FROM events
                WHERE event_type IN ('request', 'app_open')
                """);
        tables.executeSql("""
                CREATE TEMPORARY VIEW counts AS
                SELECT window_time AS t, cell, product_id, COUNT(DISTINCT rider_id) AS n
                FROM TABLE(TUMBLE(TABLE wanted, DESCRIPTOR(t), INTERVAL '1' MINUTE))
                GROUP BY window_start, window_end, window_time, cell, product_id
                """);
        tables.executeSql("""
                CREATE TEMPORARY VIEW spread AS
                SELECT t, near, product_id, ring, n FROM counts, LATERAL TABLE(H3_AROUND(cell)) AS a(near, ring)
                """);
        List<String> sizes = new ArrayList<>();
        for (int w = 0; w < Hexagons.WINDOWS.length; w++) {
            sizes.add(size(w));
        }
        tables.executeSql("CREATE TEMPORARY VIEW sums AS " + String.join(" UNION ALL ", sizes));
        String features = IntStream.range(0, Hexagons.FEATURES)
                .mapToObj(f -> "SUM(CASE WHEN w = %d THEN r%d ELSE 0 END)"
                        .formatted(f % Hexagons.WINDOWS.length, f / Hexagons.WINDOWS.length))
                .collect(Collectors.joining(", "));
        DataStream<Row> all = tables.toDataStream(tables.sqlQuery("""
                SELECT UNIX_TIMESTAMP(DATE_FORMAT(window_end, 'yyyy-MM-dd HH:mm:ss')), near, product_id, %s
                FROM TABLE(TUMBLE(TABLE sums, DESCRIPTOR(t), INTERVAL '1' MINUTE))
                GROUP BY window_start, window_end, near, product_id
                """.formatted(features)));
        RivalFlink.write(all.map(SqlDesign::bytes).returns(RivalFlink.rowType()), bootstrap, rows);
    }

    private static String size(int w) {
        String rings = IntStream.range(0, Hexagons.RINGS.length)
                .mapToObj(r -> "SUM(CASE WHEN ring <= %d THEN n ELSE 0 END) AS r%d".formatted(r, r))
                .collect(Collectors.joining(", "));
        return """
                SELECT window_time AS t, near, product_id, %d AS w, %s
                FROM TABLE(HOP(TABLE spread, DESCRIPTOR(t), INTERVAL '1' MINUTE, INTERVAL '%d' MINUTE))
                GROUP BY window_start, window_end, window_time, near, product_id
                """.formatted(w, rings, Hexagons.WINDOWS[w]);
    }

    private static byte[] bytes(Row row) {
        long[] sums = new long[Hexagons.FEATURES];
        for (int f = 0; f < sums.length; f++) {
            sums[f] = ((Number) row.getField(3 + f)).longValue();
        }
        long windowEndMs = ((Number) row.getField(0)).longValue() * 1_000;
        return RivalRow.bytes(windowEndMs, (Long) row.getField(1), (String) row.getField(2), sums);
    }
}
