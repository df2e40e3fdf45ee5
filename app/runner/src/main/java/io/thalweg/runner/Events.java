package io.thalweg.runner;

import io.thalweg.formats.file.TypedFiles;
import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.formats.view.BatchReader;
import io.thalweg.formats.view.EventVerdict;
import io.thalweg.model.ingest.Ingest.Framing;
import io.thalweg.model.view.FeatureView;
import io.thalweg.tables.ParquetEvents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** Reads a file of events, or {@code -}, as a bounded run would. */
public final class Events {
    private Events() {}

    /**
     * Emits one verdict per event.
     *
     * @throws UserError if the file, or a table that the view looks up, cannot be read
     */
    public static void read(
            FeatureView view,
            ConfiguredLookups lookups,
            String file,
            Console console,
            Consumer<EventVerdict> verdicts) {
        read(view, lookups, file, Long.MAX_VALUE, console, verdicts);
    }

    /** Reads the first {@code most} events of a file; {@code -} is read to its end. */
    public static void read(
            FeatureView view,
            ConfiguredLookups lookups,
            String file,
            long most,
            Console console,
            Consumer<EventVerdict> verdicts) {
        try (LookupTables tables = lookups.open("events", List.of(view))) {
            BatchReader reader = BatchReader.of(List.of(view), tables, ParquetEvents::open);
            if (file.equals("-")) {
                reader.read(console.in(), "-", verdicts);
            } else {
                reader.read(readable(file), most, verdicts);
            }
        } catch (IOException e) {
            throw UserError.usage(FileReason.of(e), "").causedBy(e);
        } catch (IllegalArgumentException e) {
            throw UserError.usage(String.valueOf(e.getMessage()), "the file is read as source.format says")
                    .causedBy(e);
        }
    }

    /** Returns the unit of event offsets in a file: line, row, byte or block. */
    public static String unit(FeatureView view, String file) {
        if (TypedFiles.isNamed(file)) {
            return "row";
        }
        if (!view.source().hasSchema()) {
            return "line";
        }
        return switch (Framing.ofName(file)) {
            case LINES -> "line";
            case LENGTH_PREFIXED -> "byte";
            case AVRO_CONTAINER -> "block";
        };
    }

    /** Returns a path that exists, is not a folder and is readable; a pipe is accepted. */
    public static Path readable(String file) {
        Path path = Path.of(file);
        if (!Files.exists(path)) {
            throw UserError.usage(file + ": no such file", "name a file, or - for standard input");
        }
        if (Files.isDirectory(path)) {
            throw UserError.usage(file + ": it is a folder", "name a file in it");
        }
        if (!Files.isReadable(path)) {
            throw UserError.usage(file + ": permission denied", "");
        }
        return path;
    }
}
