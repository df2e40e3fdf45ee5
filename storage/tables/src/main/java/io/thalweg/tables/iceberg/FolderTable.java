package io.thalweg.tables.iceberg;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.LocationProviders;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A table in a folder of this machine, without a catalog: version <i>n</i> is the file {@code metadata/vn.metadata.json}. A version
 * appears atomically and only once, so one of several concurrent writers commits and the others retry. The layout is that of Iceberg's
 * tables on HDFS, which other readers support.
 *
 * <p><b>Threads.</b> One; any number of processes.
 */
final class FolderTable implements TableOperations {
    private static final Pattern VERSION = Pattern.compile("v(\\d+)\\.metadata\\.json");
    /** The version is not read yet. */
    private static final long NONE = -1;

    private static final Logger LOG = LoggerFactory.getLogger(FolderTable.class);
    private static final String HINT = "version-hint.text";

    private final Path folder;
    private final FileIO io = new LocalFileIO();
    private long version = NONE;
    private @Nullable TableMetadata now;

    private FolderTable(Path folder) {
        this.folder = folder;
    }

    /**
     * Opens a table.
     *
     * @throws NoSuchTableException if there is none
     */
    static Table open(Path folder, String name) {
        FolderTable table = new FolderTable(folder);
        if (table.refresh() == null) {
            throw new NoSuchTableException("%s has no Iceberg table", folder);
        }
        return new BaseTable(table, name);
    }

    /**
     * Creates a table without rows.
     *
     * @throws AlreadyExistsException if there is one
     */
    static Table create(Path folder, String name, Schema schema, PartitionSpec spec) {
        FolderTable table = new FolderTable(folder);
        TableMetadata first = TableMetadata.newTableMetadata(schema, spec, folder.toString(), CatalogTable.NEW_TABLE);
        try {
            var unused = table.refresh();
            table.commit(null, first);
        } catch (CommitFailedException e) {
            throw new AlreadyExistsException(e, "%s has an Iceberg table already", folder);
        }
        return new BaseTable(table, name);
    }

    @Override
    public TableMetadata current() {
        return Objects.requireNonNull(version == NONE ? refresh() : now, "the table is gone");
    }

    @Override
    @SuppressWarnings("NullAway") // null before the table exists
    public TableMetadata refresh() {
        long newest = newest();
        if (newest != version) {
            now = newest == 0
                    ? null
                    : TableMetadataParser.read(io.newInputFile(file(newest).toString()));
            version = newest;
        }
        return now;
    }

    private long newest() {
        Path metadata = folder.resolve("metadata");
        if (!Files.isDirectory(metadata)) {
            return 0;
        }
        try (Stream<Path> files = Files.list(metadata)) {
            return files.map(file -> VERSION.matcher(file.getFileName().toString()))
                    .filter(Matcher::matches)
                    .mapToLong(name -> Long.parseLong(name.group(1)))
                    .max()
                    .orElse(0);
        } catch (IOException e) {
            throw new UncheckedIOException(metadata + " cannot be listed", e);
        }
    }

    private Path file(long version) {
        return folder.resolve("metadata").resolve("v" + version + ".metadata.json");
    }

    @Override
    public void commit(@Nullable TableMetadata base, TableMetadata metadata) {
        if (base != now) {
            throw new CommitFailedException("the table has changed: version %d is not current any more", version);
        }
        Path whole = folder.resolve("metadata").resolve("new-" + UUID.randomUUID() + ".metadata.json");
        TableMetadataParser.write(metadata, io.newOutputFile(whole.toString()));
        try {
            Files.createLink(file(version + 1), whole);
        } catch (FileAlreadyExistsException e) {
            throw new CommitFailedException(e, "version %d was committed by another writer", version + 1);
        } catch (IOException | UnsupportedOperationException e) {
            throw new CommitStateUnknownException(e);
        } finally {
            io.deleteFile(whole.toString());
        }
        hint(version + 1);
        if (base != null) {
            CatalogUtil.deleteRemovedMetadataFiles(io, base, metadata);
        }
        version = NONE; // reread when it is needed
    }

    /**
     * Writes the newest version for other readers. They search for newer versions from there, so a missing or stale hint is harmless. It
     * does not throw: the table has changed already, and Iceberg would take an exception for a failed commit.
     */
    private void hint(long committed) {
        Path metadata = folder.resolve("metadata");
        Path whole = metadata.resolve(UUID.randomUUID() + ".hint");
        try {
            Files.writeString(whole, Long.toString(committed), StandardCharsets.UTF_8);
            Files.move(whole, metadata.resolve(HINT), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            LOG.warn("{} cannot be written; readers that rely on it see an older version", metadata.resolve(HINT), e);
        }
    }

    @Override
    public FileIO io() {
        return io;
    }

    @Override
    public String metadataFileLocation(String name) {
        return folder.resolve("metadata").resolve(name).toString();
    }

    @Override
    public LocationProvider locationProvider() {
        return LocationProviders.locationsFor(folder.toString(), current().properties());
    }
}
