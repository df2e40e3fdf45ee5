package io.thalweg.bench.suite;

import static io.thalweg.bench.suite.Target.atLeast;
import static io.thalweg.bench.suite.Target.atMost;
import static io.thalweg.bench.suite.Target.between;

import java.util.List;
import java.util.Optional;

/** All questions. */
public final class Scenarios {
    private static final String COST = "cpu_seconds_per_million_events";
    private static final String COMPILED_COST = "compiled_" + COST;
    private static final String BEHIND = "generator_behind_seconds";
    private static final String FEATURE_COST = "cpu_seconds_per_million_features";
    private static final String RATE = "events_per_cpu_second";
    private static final String ROWS = "rows_per_second";
    private static final String P99 = "read_p99_ms";
    private static final String PER_CORE = "mb_per_cpu_second";
    private static final String PER_CORE_COMPILED = "compiled_mb_per_cpu_second";
    private static final String CALL_NS = "ns_per_call";

    private static final String[] OPEN_LOOP = {
        "offered_events_per_second",
        "events_per_second",
        BEHIND,
        "due_acknowledged_p50_ms",
        "due_acknowledged_max_ms",
        "due_readable_max_ms",
        "cores_average",
        "generator_cores_average"
    };

    private static final String DECODING = "formats model";
    private static final String RINGS = "kernel row formats model jobs";
    private static final String PIPELINE = RINGS + " store cli";
    private static final String KEYS = "kernel formats model jobs live";
    private static final String STORES = "row store store-redis store-cassandra";
    private static final String SERVING = STORES + " api server qalm qalm-grpc qalm-armeria";
    private static final String QALM = "qalm qalm-grpc";
    private static final String INGEST = "records formats tables warehouse google jobs";

    private static final List<Scenario> ALL = List.of(
            // The whole pipeline
            scenario("demand-full", "demand --scale full --rounds 5")
                    .asks(
                            "Does the pipeline carry the published load of 120,000 events/s in and 5 M rows a minute out, how fast and at what cost?")
                    .figures(
                            "cores_average",
                            COST,
                            "assembled_p50_ms",
                            "assembled_max_ms",
                            "acknowledged_max_ms",
                            "readable_max_ms")
                    .targets(
                            atMost("cores_average", 0.6),
                            atMost("assembled_max_ms", 1_500).inEveryRound(),
                            atMost("acknowledged_max_ms", 10_000).inEveryRound())
                    .measures(PIPELINE, "demand"),
            scenario("demand-soak", "demand --scale full --hours 0.5")
                    .asks("Does it hold that load without drift?")
                    .figures("cores_average", "assembled_max_ms", "heap_live_bytes", "state_bytes")
                    .targets(atMost("drifting_figures", 0))
                    .measures(PIPELINE, "demand"),
            scenario("demand-skew", "demand --scale full --skew --minutes 6 --rounds 3")
                    .asks("What does one city at a hundred times its share of the events do to it?")
                    .figures(
                            "skew_vs_even_warm_up_events_per_second",
                            "skew_vs_even_assembled_p50_ms",
                            "skew_vs_even_assembled_max_ms")
                    .targets(
                            atLeast("skew_vs_even_warm_up_events_per_second", 0.7),
                            atMost("skew_vs_even_assembled_max_ms", 2))
                    .measures(PIPELINE, "demand"),
            scenario(
                            "demand-rivals",
                            "demand --rivals --rival flink_published --rival flink_sql --parallelism 2 --rounds 3")
                    .asks("What do the designs cost that one would otherwise build on Flink?")
                    .figures(COMPILED_COST, COST)
                    .targets(atLeast("thalweg_vs_flink_published", 20), atLeast("thalweg_vs_flink_sql", 20))
                    .measures(RINGS, "demand rivals"),
            scenario("demand-rivals-tuned", "demand --rivals --rival flink_tuned --parallelism 2 --rounds 5")
                    .asks("And the tuned one?")
                    .figures(COMPILED_COST, COST)
                    .targets(atLeast("thalweg_vs_flink_tuned", 5))
                    .measures(RINGS, "demand rivals"),
            scenario(
                            "demand-offered",
                            "demand --scale twentieth --vary delivery=at_least_once,exactly_once --vary speed=6,12,18,24")
                    .asks("How does latency change with the offered load, in an open loop, with both guarantees?")
                    .figures(OPEN_LOOP)
                    .measures(PIPELINE, "demand"),
            scenario("demand-limit", "demand --scale twentieth --vary speed=36,48")
                    .asks("And beyond that, up to what the machine carries?")
                    .figures(OPEN_LOOP)
                    .measures(PIPELINE, "demand"),
            scenario("demand-parallelism", "demand --scale twentieth --vary speed=12 --vary parallelism=1,2")
                    .asks("What do one and two subtasks per operator cost on two processors, and how fast are they?")
                    .figures(COST, BEHIND, "due_acknowledged_p50_ms", "due_acknowledged_max_ms")
                    .measures(PIPELINE, "demand"),
            scenario("demand-views", "demand --scale small --vary checkpoints=10 --vary speed=10 --vary views=1,5,20")
                    .asks("What do more views of the same events cost?")
                    .figures(COST, "state_bytes", "heap_live_bytes", "gc_share")
                    .measures(PIPELINE, "demand"),
            scenario(
                            "demand-features",
                            "demand --scale small --vary checkpoints=10 --vary speed=10 --vary rings=1,9 --vary windows=1,6")
                    .asks("What do more rings and windows of a view cost?")
                    .figures(COST, FEATURE_COST, "packed_bytes_per_row", "state_bytes")
                    .measures(PIPELINE, "demand"),
            scenario(
                            "demand-partitioning",
                            "demand --scale twentieth --parallelism 2 --vary speed=12 --vary partitioning=rider,random")
                    .asks(
                            "What if a rider's events are in any partition, so that each of two readers sees some of them?")
                    .figures(COST, "crossing_share", "crossing_bytes_per_event", "assembled_p50_ms")
                    .measures(PIPELINE, "demand"),
            scenario("demand-checkpoints", "demand --scale medium --minutes 5 --vary checkpoints=10,1")
                    .asks("What does a checkpoint in the burst of a window end do to its rows?")
                    .figures(
                            "assembled_p50_ms",
                            "assembled_max_ms",
                            "readable_p50_ms",
                            "readable_max_ms",
                            "checkpoint_max_ms",
                            "snapshot_pause_max_ms",
                            "cores_average")
                    .measures(PIPELINE, "demand"),
            scenario("demand-stores", "demand --scale twentieth --vary speed=6 --vary store=rocksdb,redis")
                    .asks("What do a million features cost with the broker and the store?")
                    .figures(FEATURE_COST, "cores_average", "broker_cores_average", "store_cores_average")
                    .measures(PIPELINE + " store-redis", "demand stores"),
            scenario("demand-jvm", "demand --scale twentieth --vary speed=12 --vary gc=parallel,g1,z")
                    .asks("Which garbage collector is best? With --vary java=HOME,HOME: on which JDK?")
                    .figures(COST, "assembled_p50_ms", "assembled_max_ms", "gc_pause_max_ms", "due_readable_max_ms")
                    .measures(PIPELINE, "demand"),
            // Keyed views
            scenario("advertising-kafka", "advertising --input kafka --seconds 20 --rounds 5")
                    .asks("What does a view of an ad cost, as JSON from Kafka, beside stock Flink?")
                    .figures(RATE, COST)
                    .targets(atLeast(RATE, 2.2e6), atLeast("thalweg_vs_flink", 2.5))
                    .measures(KEYS, "advertising"),
            scenario("advertising-100", "advertising --events 500000000 --rounds 3")
                    .asks("How much can the keyed operator count without decoding (a ceiling), for 100 campaigns?")
                    .figures(RATE)
                    .targets(
                            atLeast(RATE, 60e6),
                            atLeast("thalweg_vs_flink", 10),
                            atLeast("thalweg_vs_flink_combined", 3),
                            atLeast("thalweg_vs_jet", 9))
                    .measures(KEYS, "advertising"),
            scenario("advertising-redis", "advertising --results redis --rounds 3")
                    .asks("How long after its last event is a window readable in Redis?")
                    .figures("window_readable_p50_ms", "window_readable_max_ms", RATE)
                    .targets(atMost("window_readable_max_ms", 10).inEveryRound())
                    .measures(KEYS, "advertising"),
            scenario("advertising-1m", "advertising --campaigns 1000000 --live-reads 5000 --rounds 3")
                    .asks("And for a million campaigns, which are read meanwhile?")
                    .figures(RATE, "live_read_p50_ms", "live_read_p99_ms")
                    .targets(atLeast(RATE, 15e6), atMost("live_read_p99_ms", 10))
                    .measures(KEYS, "advertising load"),
            scenario("keys-3e8", "advertising --keys 300000000 --seconds 60")
                    .asks("How many keys fit, and what do they cost?")
                    .figures(RATE, "heap_bytes_per_key", "heap_peak_bytes_per_key", "checkpoint_seconds")
                    .targets(atLeast(RATE, 5e6), atMost("heap_peak_bytes_per_key", 48))
                    .measures(KEYS, "advertising"),
            // Failures
            scenario("recover", "recover --keys 0,2000000,20000000 --rounds 3")
                    .asks("How soon after kill -9 are there rows again, by the size of the state?")
                    .figures("first_rows_seconds", "caught_up_seconds", "start_seconds", "state_bytes")
                    .targets(atMost("first_rows_seconds", 10))
                    .measures(KEYS + " store cli", "recover"),
            // Ingestion
            scenario("ingest-bigquery", "ingest --run 7,6 --rivals --rounds 3 --count 2000000")
                    .asks("What do the published runs 6 and 7 into BigQuery cost?")
                    .figures(PER_CORE_COMPILED, PER_CORE, "allocated_bytes_per_event")
                    .targets(
                            atLeast(PER_CORE, 100).of("run_7"),
                            atLeast(PER_CORE, 80).of("run_6"),
                            atLeast("run_7_thalweg_vs_generic_record", 3),
                            atLeast("run_6_thalweg_vs_generic_record", 3))
                    .measures(INGEST, "ingest"),
            scenario("ingest-published", "ingest --run 1,2,3,4,5 --rounds 3 --count 300000 --warm-up 20")
                    .asks("And runs 1 to 5: by insertAll, and with longer intervals?")
                    .figures(PER_CORE_COMPILED, PER_CORE, "mb_per_second", "lanes_most")
                    .targets(
                            atLeast(PER_CORE, 25).of("run_[12]"),
                            atLeast(PER_CORE, 30).of("run_[34]"),
                            atLeast(PER_CORE, 60).of("run_5"))
                    .measures(INGEST, "ingest"),
            scenario("ingest-json", "ingest --run json_storage --rivals --rounds 3 --count 2000000")
                    .asks("What does JSON into BigQuery cost?")
                    .figures(PER_CORE_COMPILED, PER_CORE)
                    .targets(
                            atLeast(PER_CORE, 40),
                            atLeast("json_storage_thalweg_vs_generic_record", 3),
                            atLeast("json_storage_thalweg_vs_json_writer", 3))
                    .measures(INGEST, "ingest"),
            scenario(
                            "ingest-latency",
                            "ingest --run 7 --system thalweg,generic_record,json_writer --rounds 3 --rate 40000 --seconds 30")
                    .asks("How long after it was made is a message in BigQuery, at a load that the rivals hold, too?")
                    .figures("latency_p50_ms", "latency_p99_ms", "latency_max_ms")
                    .targets(atMost("latency_p99_ms", 300))
                    .measures(INGEST, "ingest"),
            scenario("ingest-latency-70", "ingest --run 7 --system thalweg --rounds 3 --rate 80000 --seconds 60")
                    .asks("And at 70 % of what Thalweg holds on a machine that the broker and the sender share?")
                    .figures("latency_p50_ms", "latency_p99_ms", "latency_max_ms")
                    .targets(atMost("latency_p99_ms", 300))
                    .measures(INGEST, "ingest"),
            scenario("ingest-topic", "ingest --run avro_topic --rivals --rounds 5")
                    .asks("What do messages cost from a topic of Thrift into one of Avro?")
                    .figures(PER_CORE_COMPILED, PER_CORE)
                    .targets(atLeast(PER_CORE, 200))
                    .measures(INGEST, "ingest"),
            scenario("ingest-iceberg", "ingest --run kafka_iceberg --rivals --rounds 3 --parallelism 2")
                    .asks("What do messages cost from Kafka into an Iceberg table, beside Flink's sink?")
                    .figures(PER_CORE_COMPILED, PER_CORE, "mb_per_second")
                    .targets(
                            atLeast("mb_per_second", 50),
                            atLeast("kafka_iceberg_thalweg_vs_flink_iceberg", 3),
                            atLeast("kafka_iceberg_thalweg_vs_flink_iceberg_plain", 3))
                    .measures(INGEST, "ingest"),
            scenario("ingest-parquet", "ingest --run thrift_parquet --rivals --rounds 3")
                    .asks("What do they cost from a file of Thrift into Parquet, beside Parquet's own writer?")
                    .figures(PER_CORE_COMPILED, PER_CORE)
                    .targets(
                            atLeast(PER_CORE, 60),
                            atLeast("thrift_parquet_thalweg_vs_parquet_avro", 3),
                            atLeast("thrift_parquet_thalweg_vs_flink_parquet", 3))
                    .measures(INGEST, "ingest"),
            // Stores
            scenario("publish-redis", "publish --store redis --rows 3000000 --rounds 5")
                    .asks("How many rows a second go from Kafka into Redis?")
                    .figures(ROWS)
                    .targets(atLeast("thalweg_vs_replay", 0.8))
                    .measures(STORES + " jobs", "publish stores"),
            scenario("publish-cassandra", "publish --store cassandra --rows 150000 --rounds 5")
                    .asks("And into Cassandra?")
                    .figures(ROWS)
                    .measures(STORES + " jobs", "publish stores"),
            scenario("materialize", "materialize --rows 3000000 --rounds 5")
                    .asks("How many rows a second go from a table into Redis?")
                    .figures(ROWS)
                    .targets(atLeast("thalweg_vs_plain_pipelined", 1), atLeast("thalweg_vs_replay", 0.8))
                    .measures(STORES + " jobs tables", "publish stores"),
            scenario("layouts", "layouts --rows 200000 --rounds 3")
                    .asks("What does a row of 54 features take in a store, layout by layout?")
                    .figures("bytes_per_row", "server_cpu_seconds_per_million_rows", "read_1_p50_ms", "read_100_p50_ms")
                    .targets(atMost("bytes_per_row", 120).by("packed").of("^(redis|cassandra, lz4)$"))
                    .measures(STORES, "layouts publish load stores"),
            // Reads
            scenario("serve", "serve --rows 300000 --seconds 15 --warm-up 30 --rounds 5")
                    .asks("What does a read through the server take, uncached, in an open loop?")
                    .figures("read_p50_ms", P99, "server_cores")
                    .targets(
                            atMost(P99, 10).of("(rocksdb|redis).*100 keys"),
                            atMost(P99, 2).of("(rocksdb|redis).* 1 key"))
                    .measures(SERVING, "serve load publish stores"),
            scenario(
                            "serve-capacity",
                            "serve --capacity --store rocksdb,redis --rows 300000 --seconds 15 --warm-up 30 --rounds 3")
                    .asks("How many reads of 100 keys a second and core are answered within 10 ms, beside plain MGET?")
                    .figures("reads_per_cpu_second", "reads_per_second", P99, "server_cores")
                    .targets(atLeast("reads_per_cpu_second", 3_000).of("grpc"), atMost(P99, 10))
                    .measures(SERVING, "serve load publish stores"),
            scenario("serve-under-load", "serve --under-load --rounds 3")
                    .asks("And while the demand pipeline runs at full size, in the bursts of its window ends?")
                    .figures("burst_read_p99_ms", "burst_read_p50_ms", P99, "assembled_max_ms")
                    .targets(atMost("burst_read_p99_ms", 10))
                    .measures(RINGS + " " + SERVING, "demand load"),
            scenario("serve-feast", "serve --feast --rows 300000 --seconds 15 --warm-up 25 --rounds 3")
                    .asks("And beside Feast's own server in front of the same Redis?")
                    .figures("reads_per_second_held", P99, "server_cores")
                    .measures(SERVING + " feast", "serve load publish stores"),
            scenario("serve-history", "serve --history --seconds 4 --warm-up 10")
                    .asks("Does a read as of a time pay for rows that it does not answer?")
                    .figures("read_newest_p50_ms", "read_oldest_p50_ms", "read_gap_p50_ms")
                    .measures(STORES, "serve load stores"),
            // Load management: every run has the same calls, so counts have bounds, as shares of rate times seconds
            scenario("qalm-e1", "qalm --experiment E1 --warm-up 40")
                    .asks("What does it keep of a service under a quarter more than it carries?")
                    .figures("overload_all_p99_ms", "overload_core_refused")
                    .targets(
                            atLeast("at_8_9_all_p99_ms", 20_000).by("none"),
                            atMost("overload_all_p99_ms", 400),
                            atMost("second_1_all_p99_ms", 400),
                            between("overload_all_refused", 0.18 * 6_000 * 90, 0.22 * 6_000 * 90))
                    .mustBeZero("overload_core_refused", "overload_core_late", "after_core_late", "after_all_refused")
                    .measures(QALM, "qalm"),
            scenario("qalm-e1-rivals", "qalm --experiment E1 --rivals --seconds 40 --warm-up 25")
                    .asks("And what do others keep, each set up by an operator who knows the service?")
                    .figures("overload_all_p99_ms", "overload_all_refused", "overload_core_refused")
                    .measures(QALM, "qalm"),
            scenario("qalm-e2", "qalm --experiment E2 --warm-up 40")
                    .asks("And of two callers of whom one is critical?")
                    .figures(
                            "overload_document_p99_ms",
                            "overload_document_refused",
                            "overload_document_staging_refused")
                    .targets(between("overload_document_staging_refused", 0.47 * 2_300 * 60, 0.53 * 2_300 * 60))
                    .mustBeZero(
                            "overload_document_refused",
                            "overload_document_late",
                            "after_document_late",
                            "after_all_refused")
                    .measures(QALM, "qalm"),
            scenario("qalm-e3", "qalm --experiment E3 --minutes 3")
                    .asks("Does one endpoint keep working while another has spikes of a hundred times its calls?")
                    .figures("spikes_checkout_p99_ms", "whole_checkout_late")
                    .targets(
                            atLeast("spikes_checkout_late", 0.9 * 10 * 145).by("none"),
                            atMost("spikes_checkout_p99_ms", 1.5 * 181)) // the p99 of its work, without a queue
                    .mustBeZero("whole_checkout_refused", "whole_checkout_late")
                    .measures(QALM, "qalm"),
            scenario("qalm-e4", "qalm --experiment E4 --rounds 5")
                    .asks("What does it cost in calm times?")
                    .figures("admit_and_release_ns", "more_cpu_percent_median", "cpu_us_per_call_median")
                    .targets(
                            atMost("more_cpu_percent_median", 3),
                            atMost("admit_and_release_ns", 400),
                            atMost("admit_and_release_bytes", 0.01),
                            atMost("calls_lost", 0))
                    .measures(QALM, "qalm"),
            scenario("qalm-e5", "qalm --experiment E5 --warm-up 40")
                    .asks("What does it keep if all calls are critical?")
                    .figures("overload_all_p99_ms", "overload_all_answered", "overload_all_late")
                    .targets(atLeast("overload_all_answered", 0.98 * 4_800 * 58), atLeast("overload_all_refused", 1))
                    .measures(QALM, "qalm"),
            scenario("qalm-e6", "qalm --experiment E6 --warm-up 40")
                    .asks("And in a threefold spike?")
                    .figures("spike_all_p99_ms", "spike_core_refused")
                    .mustBeZero("spike_core_refused", "spike_core_late", "after_core_late", "after_all_refused")
                    .measures(QALM, "qalm"),
            scenario("qalm-e7", "qalm --experiment E7 --warm-up 40")
                    .asks("And of a service four times slower?")
                    .figures("slow_all_p99_ms", "slow_core_refused")
                    .mustBeZero("slow_core_refused", "slow_core_late", "after_core_late", "after_all_refused")
                    .measures(QALM, "qalm"),
            scenario("qalm-e8", "qalm --experiment E8 --warm-up 40")
                    .asks("Does it take a pause of the process for an overload?")
                    .figures("pauses_all_refused", "pauses_all_p99_ms")
                    .targets(atMost("pauses_all_refused", 0.002 * 2_784 * 100))
                    .measures(QALM, "qalm"),
            scenario("qalm-e9", "qalm --experiment E9 --warm-up 40")
                    .asks("What does it keep of a service whose callers retry?")
                    .figures("overload_all_p99_ms", "overload_core_refused")
                    .targets(atMost("overload_all_tries_per_call", 1.1))
                    .mustBeZero("overload_core_refused", "overload_core_late", "after_core_refused", "after_core_late")
                    .measures(QALM, "qalm"),
            scenario("qalm-e10", "qalm --experiment E10 --warm-up 40")
                    .asks("And of an endpoint of few calls?")
                    .figures("overload_all_p99_ms", "overload_core_refused", "calm_all_refused")
                    .mustBeZero(
                            "overload_core_refused",
                            "overload_core_late",
                            "after_core_late",
                            "after_all_refused",
                            "calm_core_late",
                            "calm_all_refused")
                    .measures(QALM, "qalm"),
            scenario("qalm-e11", "qalm --experiment E11 --warm-up 40")
                    .asks("Who loses calls if one caller has most of them?")
                    .figures("overload_heavy_refused", "overload_light_0_refused")
                    .targets( // 28.8 % of the heavy one's calls are more than the service carries
                            atMost("overload_light_0_refused", 0.25 * 0.288 * 312 * 40),
                            atMost("overload_light_1_refused", 0.25 * 0.288 * 312 * 40),
                            atMost("overload_light_2_refused", 0.25 * 0.288 * 312 * 40),
                            atMost("overload_light_3_refused", 0.25 * 0.288 * 312 * 40))
                    .measures(QALM, "qalm"),
            scenario("qalm-e12", "qalm --experiment E12 --warm-up 40")
                    .asks("How many tasks of two calls each succeed?")
                    .figures("overload_all_answered", "overload_all_refused")
                    .targets(atLeast("overload_all_answered", 0.9 * 2_400 * 58), atMost("after_all_refused", 0))
                    .measures(QALM, "qalm"),
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
                    .measures(DECODING, "micro/JsonDecodingBenchmark.java"),
            scenario("ad-decoding", "micro AdDecoding --rounds 5")
                    .asks("What does it cost to read, join and judge a JSON event of 240 bytes?")
                    .figures(CALL_NS)
                    .measures(DECODING, "advertising/AdDecodingBenchmark.java"),
            scenario("rows-out", "micro RowsOut --rounds 5")
                    .asks("What does a row of 54 features cost on its way out, step by step?")
                    .figures(CALL_NS)
                    .measures("kernel row", "micro/RowsOutBenchmark.java"),
            scenario("keyed-panes", "micro KeyedPanes --rounds 3")
                    .asks(
                            "What does it cost to count an event of a key, as the number of keys grows, and to write a key of 16 bytes to a snapshot?")
                    .figures(CALL_NS)
                    .targets(atMost(CALL_NS, 16).by("snapshot")) // 1 GB a second
                    .measures("kernel", "micro/KeyedPanesBenchmark.java"),
            scenario("new-tiles", "micro NewTiles --rounds 5")
                    .asks("What does the first event of a tile cost, anywhere on earth?")
                    .figures("us_per_call")
                    .targets(atMost("us_per_call", 100).by("first"))
                    .measures("kernel", "micro/NewTilesBenchmark.java"));

    private Scenarios() {}

    /** In the order of the page. */
    public static List<Scenario> all() {
        return ALL;
    }

    /** The scenario of a name. */
    public static Optional<Scenario> named(String name) {
        return ALL.stream().filter(each -> each.name().equals(name)).findAny();
    }

    private static Scenario scenario(String name, String command) {
        return new Scenario(name, "", List.of(command.split(" ", -1)), List.of(), List.of(), List.of());
    }
}
