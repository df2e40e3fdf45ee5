package io.thalweg.bench.suite;

import static io.thalweg.bench.suite.Scenario.Target.atLeast;
import static io.thalweg.bench.suite.Scenario.Target.atMost;
import static io.thalweg.bench.suite.Scenario.Target.between;

import java.util.List;
import java.util.Optional;

/** All questions. */
public final class Scenarios {
    private static final String COST = "cpu_seconds_per_million_events";
    private static final String COMPILED_COST = "compiled_" + COST;
    private static final String RATE = "events_per_cpu_second";
    private static final String ROWS = "rows_per_second";
    private static final String P99 = "read_p99_ms";
    private static final String PER_CORE = "mb_per_cpu_second";
    private static final String PER_CORE_COMPILED = "compiled_mb_per_cpu_second";
    private static final String LABEL_COST = "cpu_seconds_per_million_labels";
    private static final String CALL_NS = "ns_per_call";

    private static final String RINGS = "kernel row formats model jobs";
    private static final String PIPELINE = RINGS + " store cli";
    private static final String KEYS = "kernel formats model jobs live";
    private static final String STORES = "row store store-redis store-cassandra";
    private static final String SERVING = STORES + " api server qalm qalm-grpc qalm-armeria";
    private static final String QALM = "qalm qalm-grpc";
    private static final String INGEST = "records formats tables warehouse google jobs";

    private static final List<Scenario> ALL = List.of(
            // The whole pipeline
            scenario("demand-full", "demand --scale full --rounds 3")
                    .asks(
                            "Does the pipeline carry the published load of 120,000 events/s in and 5 M rows a minute out, how fast and at what cost?")
                    .figures("cores_average " + COST
                            + " assembled_p50_ms assembled_max_ms acknowledged_max_ms readable_max_ms")
                    .targets(
                            atMost("cores_average", 0.6),
                            atMost("assembled_max_ms", 1_500).inEveryRound(),
                            atMost("acknowledged_max_ms", 10_000).inEveryRound())
                    .measures(PIPELINE, "demand"),
            scenario("demand-soak", "demand --scale full --hours 2")
                    .asks("Does it hold that load without drift?")
                    .figures("cores_average assembled_max_ms heap_live_bytes state_bytes")
                    .targets(atMost("drifting_figures", 0))
                    .measures(PIPELINE, "demand soak"),
            scenario("demand-rivals-tuned", "demand --rivals --parallelism 2 --rounds 5")
                    .asks("What does it cost beside the published design, tuned on stock Flink?")
                    .figures(COMPILED_COST + " " + COST)
                    .measures(RINGS, "demand rivals"),
            scenario(
                            "demand-offered",
                            "demand --scale twentieth --vary delivery=at_least_once,exactly_once --vary speed=6,12,18,24,36,48")
                    .asks(
                            "How does latency change with the offered load, in an open loop, with both guarantees, up to what the machine carries?")
                    .figures(
                            "offered_events_per_second events_per_second generator_behind_seconds due_acknowledged_p50_ms due_acknowledged_max_ms due_readable_max_ms cores_average generator_cores_average")
                    .measures(PIPELINE, "demand"),
            scenario("demand-views", "demand --scale small --vary checkpoints=10 --vary speed=10 --vary views=1,5,20")
                    .asks("What do more views of the same events cost?")
                    .figures(COST + " state_bytes heap_live_bytes gc_share")
                    .measures(PIPELINE, "demand"),
            // Keyed views
            scenario("advertising-kafka", "advertising --input kafka --seconds 20 --rounds 5")
                    .asks(
                            "What does a view of an ad cost, as JSON from Kafka, beside Flink that combines counts or does not?")
                    .figures(RATE + " " + COST)
                    .targets(atLeast(RATE, 2.2e6))
                    .measures(KEYS, "advertising rivals"),
            scenario("advertising-1m", "advertising --campaigns 1000000 --live-reads 5000 --rounds 3")
                    .asks(
                            "How much can the keyed operator count without decoding (a ceiling), for a million campaigns that are read meanwhile?")
                    .figures(RATE + " live_read_p50_ms live_read_p99_ms")
                    .targets(atLeast(RATE, 15e6), atMost("live_read_p99_ms", 10))
                    .measures(KEYS, "advertising rivals load"),
            scenario("keys-3e8", "advertising --keys 300000000 --seconds 60")
                    .asks("How many keys fit, and what do they cost?")
                    .figures(RATE + " heap_bytes_per_key heap_peak_bytes_per_key checkpoint_seconds")
                    .targets(atLeast(RATE, 5e6), atMost("heap_peak_bytes_per_key", 48))
                    .measures(KEYS, "advertising"),
            // Failures
            scenario("recover", "recover --keys 0,2000000,20000000 --rounds 3")
                    .asks("How soon after kill -9 are there rows again, by the size of the state?")
                    .figures("first_rows_seconds caught_up_seconds start_seconds state_bytes")
                    .targets(atMost("first_rows_seconds", 10))
                    .measures(KEYS + " store cli", "recover"),
            // Ingestion
            scenario("ingest-published", "ingest --run 1,2,3,4,5 --rounds 3 --count 300000 --warm-up 20")
                    .asks(
                            "What do the published runs 1 to 5 into BigQuery cost: by insertAll, and by streams that are committed?")
                    .figures(PER_CORE_COMPILED + " " + PER_CORE + " mb_per_second lanes_most")
                    .targets(
                            atLeast(PER_CORE, 25).of("run_[12]"),
                            atLeast(PER_CORE, 30).of("run_[34]"))
                    .measures(INGEST, "ingest"),
            scenario("ingest-latency-70", "ingest --run 7 --rounds 3 --rate 80000 --seconds 60")
                    .asks(
                            "How long after it was made is a message in BigQuery, at 70 % of what Thalweg holds on a machine that the broker and the sender share?")
                    .figures("latency_p50_ms latency_p99_ms latency_max_ms")
                    .targets(atMost("latency_p99_ms", 300))
                    .measures(INGEST, "ingest"),
            scenario("ingest-iceberg", "ingest --run kafka_iceberg --rivals --rounds 3 --parallelism 2")
                    .asks("What do messages cost from Kafka into an Iceberg table, beside Flink's sink?")
                    .figures(PER_CORE_COMPILED + " " + PER_CORE + " mb_per_second")
                    .targets(atLeast("mb_per_second", 50))
                    .measures(INGEST, "ingest"),
            scenario("ingest-parquet", "ingest --run thrift_parquet --rivals --rounds 3")
                    .asks("What do they cost from a file of Thrift into Parquet, beside Parquet's own writer?")
                    .figures(PER_CORE_COMPILED + " " + PER_CORE)
                    .targets(atLeast(PER_CORE, 60))
                    .measures(INGEST, "ingest"),
            // Stores
            scenario("publish-redis", "publish --rows 3000000 --rounds 5")
                    .asks("How many rows a second go from Kafka into Redis?")
                    .figures(ROWS)
                    .targets(atLeast("thalweg_vs_replay", 0.8))
                    .measures(STORES + " jobs", "publish stores"),
            scenario("materialize", "materialize --rows 3000000 --rounds 5")
                    .asks("How many rows a second go from a table into Redis?")
                    .figures(ROWS)
                    .targets(atLeast("thalweg_vs_replay", 0.8))
                    .measures(STORES + " jobs tables", "publish stores"),
            scenario("layouts", "layouts --rows 200000 --rounds 3")
                    .asks("What does a row of 54 features take in a store, layout by layout?")
                    .figures("bytes_per_row server_cpu_seconds_per_million_rows read_1_p50_ms read_100_p50_ms")
                    .targets(atMost("bytes_per_row", 120).by("packed").of("^(redis|cassandra, lz4)$"))
                    .measures(STORES, "layouts publish load stores"),
            // Training sets
            scenario("training", "training --rounds 3")
                    .asks(
                            "What does a label of a training set cost, from six hours of the demo's city, beside DuckDB and Feast?")
                    .figures(LABEL_COST + " seconds resident_peak_bytes")
                    .targets(
                            atMost("seconds", 20).of("^1000000 labels"),
                            atMost("resident_peak_bytes", 1e9).by("thalweg_small"),
                            atLeast("thalweg_vs_duckdb_asof", 3),
                            atLeast("thalweg_vs_feast", 20))
                    .measures("history model records tables", "training"),
            // Reads
            scenario("serve-capacity", "serve --store rocksdb,redis --rows 300000 --seconds 8 --warm-up 20 --rounds 3")
                    .asks(
                            "How many reads of 100 keys x 54 features, and of 50 keys x 200, a second and core are answered within 10 ms, beside plain MGET?")
                    .figures("reads_per_cpu_second reads_per_second " + P99 + " read_p99_at_70_percent_ms server_cores")
                    .targets(
                            atLeast("reads_per_cpu_second", 4_000).of("^rocksdb, grpc columns$"),
                            atLeast("reads_per_cpu_second", 2_500).of("^redis, grpc columns$"),
                            atMost("read_p99_at_70_percent_ms", 10))
                    .measures(SERVING, "serve load publish stores"),
            scenario("serve-under-load", "serve --under-load --rounds 3")
                    .asks(
                            "How fast are reads while the demand pipeline runs at full size, in the bursts of its window ends?")
                    .figures("burst_read_p99_ms burst_read_p50_ms " + P99 + " assembled_max_ms")
                    .targets(atMost("burst_read_p99_ms", 10))
                    .measures(RINGS + " " + SERVING, "demand load"),
            // Load management: every run has the same calls, so counts have bounds, as shares of rate times seconds
            scenario("qalm-e1-rivals", "qalm --experiment E1 --rivals --seconds 40 --warm-up 25")
                    .asks(
                            "What does it keep of a service under a quarter more than it carries, and what do others keep, each set up by an operator who knows the service?")
                    .figures("overload_all_p99_ms overload_all_refused overload_core_refused")
                    .targets(
                            atMost("overload_all_p99_ms", 400),
                            between("overload_all_refused", 0.18 * 6_000 * 40, 0.22 * 6_000 * 40))
                    .mustBeZero("overload_core_refused overload_core_late after_core_late after_all_refused")
                    .measures(QALM, "qalm"),
            scenario("qalm-e2", "qalm --experiment E2 --warm-up 40")
                    .asks("And of two callers of whom one is critical?")
                    .figures("overload_document_p99_ms overload_document_refused overload_document_staging_refused")
                    .targets(between("overload_document_staging_refused", 0.47 * 2_300 * 60, 0.53 * 2_300 * 60))
                    .mustBeZero(
                            "overload_document_refused overload_document_late after_document_late after_all_refused")
                    .measures(QALM, "qalm"),
            scenario("qalm-e3", "qalm --experiment E3 --minutes 3")
                    .asks("Does one endpoint keep working while another has spikes of a hundred times its calls?")
                    .figures("spikes_checkout_p99_ms whole_checkout_late")
                    .targets(atMost("spikes_checkout_p99_ms", 1.5 * 181)) // the p99 of its work, without a queue
                    .mustBeZero("whole_checkout_refused whole_checkout_late")
                    .measures(QALM, "qalm"),
            scenario("qalm-e4", "qalm --experiment E4 --rounds 5")
                    .asks(
                            "What does it cost in calm times: admission and release alone, and in the noisy total of a process?")
                    .figures("admit_and_release_ns more_cpu_percent_median cpu_us_per_call_median")
                    .targets(
                            atMost("admit_and_release_ns", 400),
                            atMost("admit_and_release_bytes", 0.01),
                            atMost("calls_lost", 0))
                    .measures(QALM, "qalm micro/LaneBenchmark.java"),
            // Single steps
            scenario("kernel", "micro TileFeatures --rounds 5")
                    .asks(
                            "What does a dense tile-minute of 54 features take (9 rings, 6 windows, 16,807 cells), against the direct gather?")
                    .figures("us_per_call")
                    .measures("kernel", "micro/TileFeaturesBenchmark.java"),
            scenario("json-decoding", "micro JsonDecoding --rounds 5")
                    .asks(
                            "What does it cost to read six fields of a JSON event of 820 bytes, from one version of an app and from eight with shuffled fields, and to judge it?")
                    .figures(CALL_NS)
                    .measures("formats model", "micro/JsonDecodingBenchmark.java"),
            scenario("keyed-panes", "micro KeyedPanes --rounds 3")
                    .asks(
                            "What does it cost to count an event of a key, as the number of keys grows, and to write a key of 16 bytes to a snapshot?")
                    .figures(CALL_NS)
                    .targets(atMost(CALL_NS, 16).by("snapshot")) // 1 GB a second
                    .measures("kernel", "micro/KeyedPanesBenchmark.java"),
            scenario("rows-out", "micro RowsOut --rounds 5")
                    .asks("What does a row of 54 features cost on its way out, step by step?")
                    .figures(CALL_NS)
                    .measures("kernel row", "micro/RowsOutBenchmark.java"));

    private Scenarios() {}

    /** In the order of the page. */
    public static List<Scenario> all() {
        return ALL;
    }

    public static Optional<Scenario> named(String name) {
        return ALL.stream().filter(each -> each.name().equals(name)).findAny();
    }

    private static Scenario scenario(String name, String command) {
        return new Scenario(name, "", List.of(command.split(" ", -1)), List.of(), List.of(), List.of());
    }
}
