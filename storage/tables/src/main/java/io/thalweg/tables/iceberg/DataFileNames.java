package io.thalweg.tables.iceberg;

import java.util.UUID;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.LocationProvider;

/** Names new data files. */
final class DataFileNames {
    /** File systems allow names of 255 bytes. */
    private static final int LONGEST_FOLDER = 200;

    private DataFileNames() {}

    /**
     * Returns the location of a new file: in the folder of its partition, unless that name is too long. Readers do not need the folder.
     */
    static String location(Table table, PartitionSpec spec, StructLike partition, String prefix) {
        String name = prefix + "-" + UUID.randomUUID() + ".parquet";
        LocationProvider locations = table.locationProvider();
        boolean inFolder = spec.isPartitioned() && hasShortNames(spec.partitionToPath(partition));
        return inFolder ? locations.newDataLocation(spec, partition, name) : locations.newDataLocation(name);
    }

    private static boolean hasShortNames(String folders) {
        for (String folder : folders.split("/", -1)) {
            if (folder.length() > LONGEST_FOLDER) {
                return false;
            }
        }
        return true;
    }
}
