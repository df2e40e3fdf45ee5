package io.thalweg.bench.suite;

import static io.thalweg.bench.suite.Target.atLeast;
import static io.thalweg.bench.suite.Target.atMost;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** All questions. */
public final class Scenarios {
    private static final String COST = "cpu_seconds_per_million_events";
    private static final String RATE = "events_per_cpu_second";
    private static final String ROWS = "rows_per_second";
    private static final String P99 = "read_p99_ms";
    private static final String PER_CORE = "mb_per_cpu_second";
    private static final String PER_CORE_COMPILED = "compiled_mb_per_cpu_second";
    private static final String CALL_NS = "ns_per_call";

    private static final List<String> DECODING = sources("formats model");
    private static final List<String> RINGS = sources("kernel row formats model jobs");
    private static final List<String> KEYS = sources("kernel formats model jobs live");
    private static final List<String> STORES = sources("row store store-redis store-cassandra");
    private static final List<String> SERVING = with(STORES, sources("api server qalm qalm-grpc qalm-armeria"));
    private static final List<String> QALM = sources("qalm qalm-grpc");
    private static final List<String> INGEST = sources("records formats tables warehouse google jobs");

    private static final List<Scenario> ALL = List.of(
            // The whole pipeline
            new Scenario(
                    "demand-full",
                    "Does the pipeline carry the published load of 120,000 events/s in and 5 M rows a minute out, how fast and at what cost?",
                    run("demand --scale full --rounds 5"),
                    List.of(
                            "cores_average",
                            COST,
                            "assembled_p50_ms",
                            "assembled_p99_ms",
                            "acknowledged_p99_ms",
                            "readable_p99_ms"),
                    List.of(
                            atMost("cores_average", 0.6),
                            atMost("assembled_max_ms", 2_000),
                            atMost("acknowledged_max_ms", 10_000)),
                    with(RINGS, sources("store cli"), suite("demand"))),
            new Scenario(
                    "demand-soak",
                    "Does it hold that load without drift?",
                    run("demand --scale full --hours 0.5"),
                    List.of("cores_average", "assembled_p99_ms", "heap_live_bytes", "state_bytes"),
                    List.of(),
                    with(RINGS, sources("store cli"), suite("demand"))),
            new Scenario(
                    "demand-skew",
                    "What does one city at a hundred times its share of the events do to it?",
                    run("demand --scale full --skew --minutes 6 --rounds 3"),
                    List.of(
                            "skew_vs_even_warm_up_events_per_second",
                            "skew_vs_even_assembled_p50_ms",
                            "skew_vs_even_assembled_max_ms"),
                    List.of(
                            atLeast("skew_vs_even_warm_up_events_per_second", 0.7),
                            atMost("skew_vs_even_assembled_max_ms", 2)),
                    with(RINGS, sources("store cli"), suite("demand"))),
            new Scenario(
                    "demand-rivals",
                    "What do the designs cost that one would otherwise build on Flink?",
                    run("demand --rivals --rival flink_published --rival flink_sql --parallelism 2 --rounds 3"),
                    List.of(COST),
                    List.of(atLeast("thalweg_vs_flink_published", 20), atLeast("thalweg_vs_flink_sql", 20)),
                    with(RINGS, suite("demand", "rivals"))),
            new Scenario(
                    "demand-rivals-tuned",
                    "And the tuned one?",
                    run("demand --rivals --rival flink_tuned --parallelism 2 --rounds 5"),
                    List.of(COST),
                    List.of(atLeast("thalweg_vs_flink_tuned", 5)),
                    with(RINGS, suite("demand", "rivals"))),
            // Keyed views
            new Scenario(
                    "advertising-kafka",
                    "What does a view of an ad cost, as JSON from Kafka, beside stock Flink?",
                    run("advertising --input kafka --seconds 20 --rounds 5"),
                    List.of(RATE, COST),
                    List.of(atLeast(RATE, 2.2e6), atLeast("thalweg_vs_flink", 2.5)),
                    with(KEYS, suite("advertising"))),
            new Scenario(
                    "advertising-100",
                    "How much can the keyed operator count without decoding (a ceiling), for 100 campaigns?",
                    run("advertising --events 1000000000 --rounds 3"),
                    List.of(RATE),
                    List.of(atLeast(RATE, 60e6), atLeast("thalweg_vs_flink", 10), atLeast("thalweg_vs_jet", 9)),
                    with(KEYS, suite("advertising"))),
            new Scenario(
                    "advertising-redis",
                    "How long after its last event is a window readable in Redis?",
                    run("advertising --results redis --rounds 3"),
                    List.of("window_readable_p50_ms", "window_readable_max_ms", RATE),
                    List.of(),
                    with(KEYS, suite("advertising"))),
            new Scenario(
                    "advertising-1m",
                    "And for a million campaigns, which are read meanwhile?",
                    run("advertising --campaigns 1000000 --live-reads 5000 --rounds 3"),
                    List.of(RATE, "live_read_p50_ms", "live_read_p99_ms"),
                    List.of(atLeast(RATE, 15e6), atMost("live_read_p99_ms", 10)),
                    with(KEYS, suite("advertising"))),
            new Scenario(
                    "keys-3e8",
                    "How many keys fit, and what do they cost?",
                    run("advertising --keys 300000000 --seconds 60"),
                    List.of(
                            RATE,
                            "heap_bytes_per_key",
                            "heap_peak_bytes_per_key",
                            "serialised_gb_per_cpu_second",
                            "checkpoint_seconds"),
                    List.of(
                            atLeast(RATE, 5e6),
                            atMost("heap_peak_bytes_per_key", 48),
                            atLeast("serialised_gb_per_cpu_second", 1)),
                    with(KEYS, suite("advertising"))),
            // Ingestion
            new Scenario(
                    "ingest-bigquery",
                    "What do the published runs 6 and 7 into BigQuery cost?",
                    run("ingest --run 7,6 --rivals --rounds 3 --count 2000000"),
                    List.of(PER_CORE_COMPILED, PER_CORE, "allocated_bytes_per_event"),
                    List.of(
                            atLeast(PER_CORE, 100).of("run_7"),
                            atLeast(PER_CORE, 80).of("run_6"),
                            atLeast("run_7_thalweg_vs_generic_record", 3),
                            atLeast("run_6_thalweg_vs_generic_record", 3)),
                    with(INGEST, suite("ingest"))),
            new Scenario(
                    "ingest-published",
                    "And runs 1 to 5: by insertAll, and with longer intervals?",
                    run("ingest --run 1,2,3,4,5 --rounds 3 --count 300000 --warm-up 20"),
                    List.of(PER_CORE_COMPILED, PER_CORE, "mb_per_second", "lanes_most"),
                    List.of(
                            atLeast(PER_CORE, 25).of("run_[12]"),
                            atLeast(PER_CORE, 30).of("run_[34]"),
                            atLeast(PER_CORE, 60).of("run_5")),
                    with(INGEST, suite("ingest"))),
            new Scenario(
                    "ingest-json",
                    "What does JSON into BigQuery cost?",
                    run("ingest --run json_storage --rivals --rounds 3 --count 2000000"),
                    List.of(PER_CORE_COMPILED, PER_CORE),
                    List.of(
                            atLeast(PER_CORE, 40),
                            atLeast("json_storage_thalweg_vs_generic_record", 3),
                            atLeast("json_storage_thalweg_vs_json_writer", 3)),
                    with(INGEST, suite("ingest"))),
            new Scenario(
                    "ingest-latency",
                    "How long after it was made is a message in BigQuery, at a load that the rivals hold, too?",
                    run(
                            "ingest --run 7 --system thalweg,generic_record,json_writer --rounds 3 --rate 40000 --seconds 30"),
                    List.of("latency_p50_ms", "latency_p99_ms", "latency_max_ms"),
                    List.of(atMost("latency_p99_ms", 300)),
                    with(INGEST, suite("ingest"))),
            new Scenario(
                    "ingest-latency-70",
                    "And at 70 % of what Thalweg holds on a machine that the broker and the sender share?",
                    run("ingest --run 7 --system thalweg --rounds 3 --rate 80000 --seconds 60"),
                    List.of("latency_p50_ms", "latency_p99_ms", "latency_max_ms"),
                    List.of(atMost("latency_p99_ms", 300)),
                    with(INGEST, suite("ingest"))),
            new Scenario(
                    "ingest-topic",
                    "What do messages cost from a topic of Thrift into one of Avro?",
                    run("ingest --run avro_topic --rivals --rounds 5"),
                    List.of(PER_CORE_COMPILED, PER_CORE),
                    List.of(atLeast(PER_CORE, 200)),
                    with(INGEST, suite("ingest"))),
            new Scenario(
                    "ingest-iceberg",
                    "What do messages cost from Kafka into an Iceberg table, beside Flink's sink?",
                    run("ingest --run kafka_iceberg --rivals --rounds 3 --parallelism 2"),
                    List.of(PER_CORE_COMPILED, PER_CORE, "mb_per_second"),
                    List.of(
                            atLeast("mb_per_second", 50),
                            atLeast("kafka_iceberg_thalweg_vs_flink_iceberg", 3),
                            atLeast("kafka_iceberg_thalweg_vs_flink_iceberg_plain", 3)),
                    with(INGEST, suite("ingest"))),
            new Scenario(
                    "ingest-parquet",
                    "What do they cost from a file of Thrift into Parquet, beside Parquet's own writer?",
                    run("ingest --run thrift_parquet --rivals --rounds 3"),
                    List.of(PER_CORE_COMPILED, PER_CORE),
                    List.of(
                            atLeast(PER_CORE, 60),
                            atLeast("thrift_parquet_thalweg_vs_parquet_avro", 3),
                            atLeast("thrift_parquet_thalweg_vs_flink_parquet", 3)),
                    with(INGEST, suite("ingest"))),
            // Stores
            new Scenario(
                    "publish-redis",
                    "How many rows a second go from Kafka into Redis?",
                    run("publish --store redis --rows 1000000 --rounds 5"),
                    List.of(ROWS),
                    List.of(atLeast("thalweg_vs_replay", 0.8)),
                    with(STORES, sources("jobs"), suite("publish"))),
            new Scenario(
                    "publish-cassandra",
                    "And into Cassandra?",
                    run("publish --store cassandra --rows 40000 --rounds 5"),
                    List.of(ROWS),
                    List.of(),
                    with(STORES, sources("jobs"), suite("publish"))),
            new Scenario(
                    "materialize",
                    "How many rows a second go from a table into Redis?",
                    run("materialize --rows 3000000 --rounds 5"),
                    List.of(ROWS),
                    List.of(atLeast("thalweg_vs_plain_pipelined", 1), atLeast("thalweg_vs_replay", 0.8)),
                    with(STORES, sources("jobs tables"), suite("publish"))),
            new Scenario(
                    "layouts",
                    "What does a row of 54 features take in a store, layout by layout?",
                    run("layouts --rows 200000 --rounds 3"),
                    List.of("bytes_per_row", "server_cpu_seconds_per_million_rows", "read_1_p50_ms", "read_100_p50_ms"),
                    List.of(atMost("bytes_per_row", 120).of("^(redis|cassandra, lz4)$")),
                    with(STORES, suite("layouts", "publish"))),
            // Reads
            new Scenario(
                    "serve",
                    "What does a read through the server take, uncached, in an open loop?",
                    run("serve --rows 300000 --seconds 15 --warm-up 30 --rounds 5"),
                    List.of("read_p50_ms", P99, "server_cores"),
                    List.of(
                            atMost(P99, 10).of("(rocksdb|redis).*100 keys"),
                            atMost(P99, 2).of("(rocksdb|redis).* 1 key")),
                    with(SERVING, suite("serve"))),
            new Scenario(
                    "serve-under-load",
                    "And while the demand pipeline runs at full size, in the bursts of its window ends?",
                    run("serve --under-load --rounds 3"),
                    List.of("burst_read_p99_ms", "burst_read_p50_ms", P99, "assembled_p99_ms"),
                    List.of(atMost("burst_read_p99_ms", 10)),
                    with(RINGS, SERVING, suite("demand"))),
            new Scenario(
                    "serve-feast",
                    "And beside Feast's own server in front of the same Redis?",
                    run("serve --feast --rows 300000 --seconds 15 --warm-up 25 --rounds 3"),
                    List.of("reads_per_second_held", P99, "server_cores"),
                    List.of(),
                    with(SERVING, sources("feast"), suite("serve"))),
            new Scenario(
                    "serve-history",
                    "Does a read as of a time pay for rows that it does not answer?",
                    run("serve --history --seconds 4 --warm-up 10"),
                    List.of("read_newest_p50_ms", "read_oldest_p50_ms", "read_gap_p50_ms"),
                    List.of(),
                    with(STORES, suite("serve"))),
            // Load management
            qalm(
                    "1",
                    "What does it keep of a service under a quarter more than it carries?",
                    "--warm-up 40",
                    "overload_all_p99_ms",
                    "overload_core_refused"),
            new Scenario(
                    "qalm-e1-rivals",
                    "And what do others keep, each set up by an operator who knows the service?",
                    run("qalm --experiment E1 --rivals --seconds 40 --warm-up 25"),
                    List.of("overload_all_p99_ms", "overload_all_refused", "overload_core_refused"),
                    List.of(),
                    with(QALM, suite("qalm"))),
            qalm(
                    "2",
                    "And of two callers of whom one is critical?",
                    "--warm-up 40",
                    "overload_document_p99_ms",
                    "overload_document_refused",
                    "overload_document_staging_refused"),
            qalm(
                    "3",
                    "Does one endpoint keep working while another has spikes of a hundred times its calls?",
                    "--minutes 3",
                    "spikes_checkout_p99_ms",
                    "whole_checkout_late"),
            new Scenario(
                    "qalm-e4",
                    "What does it cost in calm times?",
                    run("qalm --experiment E4 --rounds 4"),
                    List.of("admit_and_release_ns", "more_cpu_percent_median", "cpu_us_per_call_median"),
                    List.of(atMost("calls_lost", 0)),
                    with(QALM, suite("qalm"))),
            qalm(
                    "5",
                    "What does it keep if all calls are critical?",
                    "--warm-up 40",
                    "overload_all_p99_ms",
                    "overload_all_answered",
                    "overload_all_late"),
            qalm("6", "And in a threefold spike?", "--warm-up 40", "spike_all_p99_ms", "spike_core_refused"),
            qalm("7", "And of a service four times slower?", "--warm-up 40", "slow_all_p99_ms", "slow_core_refused"),
            qalm(
                    "8",
                    "Does it take a pause of the process for an overload?",
                    "--warm-up 40",
                    "pauses_all_refused",
                    "pauses_all_p99_ms"),
            qalm(
                    "9",
                    "What does it keep of a service whose callers retry?",
                    "--warm-up 40",
                    "overload_all_p99_ms",
                    "overload_core_refused"),
            qalm(
                    "10",
                    "And of an endpoint of few calls?",
                    "--warm-up 40",
                    "overload_all_p99_ms",
                    "overload_core_refused",
                    "calm_all_refused"),
            qalm(
                    "11",
                    "Who loses calls if one caller has most of them?",
                    "--warm-up 40",
                    "overload_heavy_refused",
                    "overload_light_0_refused"),
            qalm(
                    "12",
                    "How many tasks of two calls each succeed?",
                    "--warm-up 40",
                    "overload_all_answered",
                    "overload_all_refused"),
            // Single steps
            new Scenario(
                    "kernel",
                    "What does a dense tile-minute of 54 features take (9 rings, 6 windows, 16,807 cells), against the direct gather?",
                    run("micro TileFeatures --param load=dense --rounds 5"),
                    List.of("us_per_call"),
                    List.of(),
                    with(sources("kernel"), suite("micro/TileFeaturesBenchmark.java"))),
            new Scenario(
                    "json-decoding",
                    "What does it cost to read six fields of a JSON event of 820 bytes, and to judge it?",
                    run("micro JsonDecoding --rounds 5"),
                    List.of(CALL_NS),
                    List.of(),
                    with(DECODING, suite("micro/JsonDecodingBenchmark.java"))),
            new Scenario(
                    "ad-decoding",
                    "What does it cost to read, join and judge a JSON event of 240 bytes?",
                    run("micro AdDecoding --rounds 5"),
                    List.of(CALL_NS),
                    List.of(),
                    with(DECODING, suite("advertising/AdDecodingBenchmark.java"))),
            new Scenario(
                    "rows-out",
                    "What does a row of 54 features cost on its way out, step by step?",
                    run("micro RowsOut --rounds 5"),
                    List.of(CALL_NS),
                    List.of(),
                    with(sources("kernel row"), suite("micro/RowsOutBenchmark.java"))),
            new Scenario(
                    "keyed-panes",
                    "What does it cost to count an event of a key, as the number of keys grows?",
                    run("micro KeyedPanes --rounds 5"),
                    List.of(CALL_NS),
                    List.of(),
                    with(sources("kernel"), suite("micro/KeyedPanesBenchmark.java"))),
            new Scenario(
                    "new-tiles",
                    "What does the first event of a tile cost, anywhere on earth?",
                    run("micro NewTiles --rounds 5"),
                    List.of("us_per_call"),
                    List.of(atMost("us_per_call", 100)),
                    with(sources("kernel"), suite("micro/NewTilesBenchmark.java"))));

    private Scenarios() {}

    /** In the order of the page. */
    public static List<Scenario> all() {
        return ALL;
    }

    /** The scenario of a name. */
    public static Optional<Scenario> named(String name) {
        return ALL.stream().filter(each -> each.name().equals(name)).findAny();
    }

    private static Scenario qalm(String number, String question, String options, String... figures) {
        return new Scenario(
                "qalm-e" + number,
                question,
                run("qalm --experiment E" + number + " " + options),
                List.of(figures),
                List.of(),
                with(QALM, suite("qalm")));
    }

    private static List<String> run(String arguments) {
        return List.of(arguments.split(" ", -1));
    }

    /** What modules compile, by their folders. */
    private static List<String> sources(String modules) {
        return Arrays.stream(modules.split(" ", -1))
                .map(module -> module + "/src/main")
                .toList();
    }

    private static List<String> suite(String... places) {
        return Stream.of(places)
                .map(place -> "bench/src/main/java/io/thalweg/bench/" + place)
                .toList();
    }

    @SafeVarargs
    private static List<String> with(List<String>... folders) {
        List<String> all = new ArrayList<>();
        for (List<String> each : folders) {
            all.addAll(each);
        }
        return all;
    }
}
