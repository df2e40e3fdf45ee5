package io.thalweg.cli.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/** Reads a table in a folder with Iceberg's own library, as readers without a catalog do: from the version that the hint names. */
final class IcebergFolder {
    private IcebergFolder() {}

    /** The data files of the current snapshot. */
    static List<Path> files(Path folder) throws IOException {
        return Files.exists(folder.resolve("metadata/version-hint.text")) ? filesOf(newest(folder)) : List.of();
    }

    /** The file of the newest version of the metadata. */
    static String newest(Path folder) throws IOException {
        Path metadata = folder.resolve("metadata");
        long version = Long.parseLong(Files.readString(metadata.resolve("version-hint.text")));
        while (Files.exists(metadata.resolve("v" + (version + 1) + ".metadata.json"))) {
            version++;
        }
        return metadata.resolve("v" + version + ".metadata.json").toString();
    }

    /** The data files of the snapshot that is current in a version of the metadata. */
    static List<Path> filesOf(String metadata) throws IOException {
        List<Path> files = new ArrayList<>();
        try (CloseableIterable<FileScanTask> tasks = table(metadata).newScan().planFiles()) {
            tasks.forEach(task -> files.add(path(task.file().location())));
        }
        return files;
    }

    /** A table as a version of its metadata describes it. */
    static Table table(String metadata) {
        return new BaseTable(new StaticTableOperations(metadata, new Local()), metadata);
    }

    private static Path path(String location) {
        return Path.of(location.replaceFirst("^file:(//)?", ""));
    }

    private static final class Local implements FileIO {
        private static final long serialVersionUID = 1;

        @Override
        public InputFile newInputFile(String location) {
            return org.apache.iceberg.Files.localInput(path(location).toFile());
        }

        @Override
        public OutputFile newOutputFile(String location) {
            throw new UnsupportedOperationException("only reads");
        }

        @Override
        public void deleteFile(String location) {
            throw new UnsupportedOperationException("only reads");
        }
    }
}
