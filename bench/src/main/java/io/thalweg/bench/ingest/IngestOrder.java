package io.thalweg.bench.ingest;

import io.thalweg.bench.harness.Broker;
import java.io.File;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ExecutionException;

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
 * @param output the folder of the measured table; its last name is the table of BigQuery or the topic
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

    /** Creates the topic that an output names, with as many partitions as the job has tasks. */
    String createTopic(Path output) throws ExecutionException, InterruptedException {
        String topic = topic(output);
        Broker.createTopic(bootstrap, topic, parallelism, Map.of());
        return topic;
    }

    /** Returns the topic that an output names. */
    public static String topic(Path output) {
        return output.subpath(output.getNameCount() - 2, output.getNameCount())
                .toString()
                .replace(File.separatorChar, '-');
    }

    /** Returns the table of BigQuery that an output names; all warm-ups share one. */
    static String table(Path output) {
        String name = output.getFileName().toString();
        return RideWarehouse.qualified(name.startsWith("warm-up") ? RideWarehouse.WARM_UP : name);
    }
}
