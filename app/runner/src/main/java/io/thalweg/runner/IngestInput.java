package io.thalweg.runner;

import io.thalweg.formats.file.RecordFile;
import io.thalweg.jobs.ingest.file.IngestFile;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.ingest.Ingest.Framing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * The files that an ingest reads.
 *
 * @param files in reading order
 * @param modified when each was last modified
 */
public record IngestInput(List<IngestFile> files, List<FileTime> modified) {
    public IngestInput {
        files = List.copyOf(files);
        modified = List.copyOf(modified);
    }

    /**
     * Returns the files of {@code --input}, or those of the definition.
     *
     * @throws UserError if one cannot be read, or there is none
     */
    public static IngestInput of(Ingest ingest, List<String> inputs) {
        List<String> patterns = new ArrayList<>(inputs);
        if (inputs.isEmpty()) {
            if (!(ingest.input().from() instanceof Ingest.Files named)) {
                throw UserError.usage(
                        ingest.qualifiedName() + " reads "
                                + ingest.input().from().text() + ", and --dry-run reads files",
                        "name one: thalweg ingest SPEC --input FILE --dry-run");
            }
            patterns.add(named.path());
        }
        if (patterns.contains("-")) {
            throw UserError.usage(
                    "--input - is not supported: an interrupted ingest goes on where it was, and standard input cannot",
                    "name a file");
        }
        List<IngestFile> files = new ArrayList<>();
        List<FileTime> modified = new ArrayList<>();
        for (Path path : InputFiles.expandAll(patterns)) {
            Path file = path.toAbsolutePath().normalize();
            try {
                files.add(new IngestFile(file.toString(), framing(ingest.input(), file), Files.size(file)));
                modified.add(Files.getLastModifiedTime(file));
            } catch (IOException e) {
                throw UserError.failed("--input " + path + " cannot be read: " + e.getMessage(), "see: ls -l " + path)
                        .causedBy(e);
            }
        }
        return new IngestInput(files, modified);
    }

    /** Returns the files in which there is no event. */
    public List<Path> empty() {
        return files.stream()
                .filter(file ->
                        InputFiles.isEmpty(Path.of(file.path()), path -> RecordFile.isEmpty(path, file.framing())))
                .map(file -> Path.of(file.path()))
                .toList();
    }

    /** Returns the framing of the definition; if it names none, the one of the file's name. */
    static Framing framing(Ingest.Input input, Path file) {
        Framing given = input.framing();
        if (given != null) {
            return given;
        }
        Framing framing = Framing.ofName(file.getFileName().toString());
        if (framing == Framing.AVRO_CONTAINER && input.format() != Ingest.Format.AVRO) {
            throw UserError.usage(
                    file + " is an Avro file by its name, but source.format is "
                            + input.format().text(),
                    "set source.framing to lines or length_prefixed if it is not");
        }
        return framing;
    }

    /** Returns a file of lines. */
    static IngestFile lines(Path file) throws IOException {
        return new IngestFile(file.toAbsolutePath().toString(), Framing.LINES, Files.size(file));
    }

    /** Bytes of all files; 0 if that is not the number of bytes that are read. */
    long bytes() {
        boolean plain = files.stream().noneMatch(file -> file.path().endsWith(".gz"));
        return plain ? files.stream().mapToLong(IngestFile::bytes).sum() : 0;
    }

    /** Returns the schema of a sink topic's messages, which a file may define. */
    private static String messages(IngestPlan plan) {
        return plan.ingest().sink() instanceof Ingest.TopicSink ? " " + plan.messages() : "";
    }

    /**
     * Returns the function with the contents of its jars, which determine the rows as much as the definition does. Its timeout is
     * left out.
     */
    private static String function(Ingest ingest) {
        Ingest.Transform transform = ingest.transform();
        if (transform == null) {
            return "";
        }
        CRC32 crc = new CRC32();
        for (String jar : transform.jars()) {
            try (Stream<Path> files = Files.walk(Path.of(jar))) {
                for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                    crc.update(Files.readAllBytes(file));
                }
            } catch (IOException e) {
                throw UserError.failed(
                                "transform.jars: " + jar + " cannot be read: " + e.getMessage(), "see: ls -l " + jar)
                        .causedBy(e);
            }
        }
        return transform.text() + " " + transform.config() + " " + Long.toHexString(crc.getValue());
    }

    /**
     * Returns a fingerprint of the definition, its schema, its function, the place and the files. A run may be resumed only if it
     * is unchanged.
     *
     * @param place where rows go
     */
    String fingerprintInto(IngestPlan plan, String place) {
        return fingerprint(plan, files + " " + modified + " " + place);
    }

    /**
     * Returns a fingerprint of the definition, its schema, its function and its input.
     *
     * @param read describes the input
     */
    static String fingerprint(IngestPlan plan, String read) {
        CRC32 crc = new CRC32();
        // How messages are generated for tests, and where dead letters go, does not change the rows.
        Ingest ingest = plan.ingest();
        String what = ingest.qualifiedName() + " " + ingest.input() + " " + ingest.where() + " " + ingest.columns()
                + (ingest.excluded().isEmpty() ? "" : " " + ingest.excluded())
                + " " + function(ingest) + " " + ingest.sink() + messages(plan) + " " + plan.table() + " " + read;
        crc.update(what.getBytes(StandardCharsets.UTF_8));
        return Long.toHexString(crc.getValue());
    }
}
