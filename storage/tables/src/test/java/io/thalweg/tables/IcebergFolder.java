package io.thalweg.tables;

import java.nio.file.Path;
import java.util.Locale;
import java.util.UUID;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.Files;
import org.apache.iceberg.LocationProviders;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.LocationProvider;
import org.apache.iceberg.io.OutputFile;
import org.jspecify.annotations.Nullable;

/** A table that Iceberg itself writes, each change as the next metadata file; no other process writes it. */
@SuppressWarnings("NullAway.Init")
final class IcebergFolder implements TableOperations {
    private final Path folder;
    private int version;
    private TableMetadata now;

    private IcebergFolder(Path folder) {
        this.folder = folder;
    }

    static Table create(Path folder, Schema schema, PartitionSpec parts) {
        IcebergFolder operations = new IcebergFolder(folder);
        operations.commit(
                null,
                TableMetadata.newTableMetadata(
                        schema, parts, folder.toString(), java.util.Map.of("format-version", "2")));
        return new BaseTable(operations, "table");
    }

    @Override
    public TableMetadata current() {
        return now;
    }

    @Override
    public TableMetadata refresh() {
        return now;
    }

    @Override
    public void commit(@Nullable TableMetadata base, TableMetadata metadata) {
        String file =
                metadataFileLocation(String.format(Locale.ROOT, "%05d-%s.metadata.json", version++, UUID.randomUUID()));
        TableMetadataParser.write(metadata, io().newOutputFile(file));
        now = TableMetadataParser.read(io().newInputFile(file));
    }

    @Override
    public FileIO io() {
        return new Local();
    }

    @Override
    public String metadataFileLocation(String name) {
        return folder.resolve("metadata").resolve(name).toString();
    }

    @Override
    public LocationProvider locationProvider() {
        return LocationProviders.locationsFor(folder.toString(), java.util.Map.of());
    }

    private static final class Local implements FileIO {
        private static final long serialVersionUID = 1;

        @Override
        public InputFile newInputFile(String location) {
            return Files.localInput(location);
        }

        @Override
        public OutputFile newOutputFile(String location) {
            return Files.localOutput(location);
        }

        @Override
        public void deleteFile(String location) {
            throw new UnsupportedOperationException("nothing expires here");
        }
    }
}
