package io.thalweg.bench.ingest;

import java.nio.file.Path;
import java.util.Map;

/** A system that writes rides to a table. */
interface Ingester {
    /**
     * Reads all messages and returns when their rows are in the table.
     *
     * @param input a file, or the topic
     * @param output a folder that does not exist yet: the files of the table, or the Iceberg table; its last name is the table of
     *     BigQuery
     * @throws Exception if the table is not complete
     */
    void ingest(String input, Path output) throws Exception;

    /**
     * Reads messages of a topic while they are sent, and returns when the last one is in BigQuery.
     *
     * @param count the number of messages that will be sent, to its only partition
     */
    default void follow(String topic, long count, Path output) throws Exception {
        throw new UnsupportedOperationException("does not write to BigQuery");
    }

    /** The figures of the last pass, besides rows and time. */
    default Map<String, Number> figures() {
        return Map.of();
    }

    /** Returns the system that an order names. */
    static Ingester of(IngestOrder order) {
        return switch (order.system()) {
            case "thalweg" -> new ThalwegIngester(order);
            case "parquet_avro" -> new PlainParquet(order, false);
            case "parquet_direct" -> new PlainParquet(order, true);
            case "flink_parquet" -> new FlinkParquet(order);
            case "flink_iceberg" -> new FlinkIceberg(order, true);
            case "flink_iceberg_plain" -> new FlinkIceberg(order, false);
            default -> throw new IllegalArgumentException("no system is called " + order.system());
        };
    }

    /**
     * The order for a contestant.
     *
     * @param system {@code thalweg} or a rival of the variant
     * @param schemas the folder with the schemas
     * @param bootstrap of the broker; empty for files
     * @param service {@code host:port} of BigQuery's write API and, separated by a blank, of its REST API; empty for files and
     *     Iceberg
     * @param warmUp the file or the topic that is read until the process is compiled
     * @param input the file or the topic that is measured
     * @param output the folder of the measured table; its last name is the table of BigQuery
     * @param parallelism of the job; programs without Flink have one thread
     * @param warmUpSeconds the longest that the warm-up takes
     * @param follow the number of messages that will be sent to the topic and are followed as they arrive; 0 = the input is complete
     */
    record IngestOrder(
            String system,
            IngestVariant variant,
            Path schemas,
            String bootstrap,
            String service,
            String warmUp,
            String input,
            Path output,
            int parallelism,
            int warmUpSeconds,
            long follow) {

        /** Returns the table of BigQuery that an output names; all warm-ups share one. */
        static String table(Path output) {
            String name = output.getFileName().toString();
            return RideWarehouse.qualified(name.startsWith("warm-up") ? RideWarehouse.WARM_UP : name);
        }
    }
}
