package io.thalweg.pipelinetest;

import io.thalweg.jobs.ingest.file.IngestFile;
import io.thalweg.model.ingest.Ingest.Framing;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Files of records, and the number of the event that each record comes from.
 *
 * @param numbers the numbers of the events, from 1, by file and offset; empty if unknown
 */
record RecordFiles(List<IngestFile> files, Map<String, Integer> numbers) {
    RecordFiles {
        files = List.copyOf(files);
        numbers = Map.copyOf(numbers);
    }

    /** Creates the files from a given file, whose events have no numbers. */
    static RecordFiles of(IngestFile file) {
        return new RecordFiles(List.of(file), Map.of());
    }

    /** Writes records in order into this many files. */
    static RecordFiles write(List<byte[]> records, int parts, Path folder) throws IOException {
        Files.createDirectories(folder);
        List<IngestFile> files = new ArrayList<>();
        Map<String, Integer> numbers = new HashMap<>();
        for (int part = 0; part < parts; part++) {
            Path file = folder.resolve(part + ".bin").toAbsolutePath();
            try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(file))) {
                int end = records.size() * (part + 1) / parts;
                for (int at = records.size() * part / parts; at < end; at++) {
                    numbers.put(place(file.toString(), out.size()), at + 1);
                    out.writeInt(records.get(at).length);
                    out.write(records.get(at));
                }
            }
            files.add(new IngestFile(file.toString(), Framing.LENGTH_PREFIXED, Files.size(file)));
        }
        return new RecordFiles(files, numbers);
    }

    private static String place(String file, long offset) {
        return file + "@" + offset;
    }

    /** Returns the number of the event that a message comes from; null if unknown. */
    @Nullable
    Integer number(IngestOutcome.Origin origin) {
        return numbers.get(place(origin.source(), origin.offset()));
    }

    /** The event that a message comes from, for people. */
    String text(IngestOutcome.Origin origin) {
        Integer number = number(origin);
        return number == null ? "the event at offset " + origin.offset() : "event " + number;
    }
}
