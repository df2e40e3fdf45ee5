package io.thalweg.bench.ingest;

import java.nio.file.Path;

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
public record IngestOrder(
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
