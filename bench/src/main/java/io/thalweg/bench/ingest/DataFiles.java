package io.thalweg.bench.ingest;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/** The Parquet files of a table. */
public final class DataFiles {
    /** The path of an Iceberg table in the output of a system. */
    static final String ICEBERG = "bench/rides";

    private DataFiles() {}

    /** Returns the files that a system has written. */
    public static List<Path> of(IngestVariant variant, Path output) throws IOException {
        return variant.target == IngestVariant.Target.ICEBERG ? iceberg(output.resolve(ICEBERG)) : complete(output);
    }

    private static List<Path> complete(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> {
                        String name = file.getFileName().toString();
                        return name.endsWith(".parquet") && !name.startsWith(".");
                    })
                    .sorted()
                    .toList();
        }
    }

    /** Returns the files of the newest version. */
    private static List<Path> iceberg(Path folder) throws IOException {
        Path metadata = folder.resolve("metadata");
        String version = Files.readString(metadata.resolve("version-hint.text")).strip();
        Path newest = metadata.resolve("v" + version + ".metadata.json");
        BaseTable table = new BaseTable(new StaticTableOperations(newest.toString(), new Local()), "rides");
        List<Path> files = new ArrayList<>();
        try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
            tasks.forEach(task -> files.add(local(task.file().location())));
        }
        return files;
    }

    private static Path local(String location) {
        return location.startsWith("file:") ? Path.of(URI.create(location).getPath()) : Path.of(location);
    }

    /** Reads files of this machine. */
    private static final class Local implements FileIO {
        @Override
        public InputFile newInputFile(String location) {
            return org.apache.iceberg.Files.localInput(local(location).toFile());
        }

        @Override
        public OutputFile newOutputFile(String location) {
            throw new UnsupportedOperationException("nothing is written");
        }

        @Override
        public void deleteFile(String location) {
            throw new UnsupportedOperationException("nothing is deleted");
        }
    }
}
