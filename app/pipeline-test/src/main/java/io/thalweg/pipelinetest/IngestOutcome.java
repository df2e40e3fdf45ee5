package io.thalweg.pipelinetest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.jobs.ingest.account.IngestAccount.Count;
import io.thalweg.jobs.ingest.account.IngestTotals;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.pipelinetest.PipelineTest.Counts;
import io.thalweg.records.schema.Struct;
import io.thalweg.tables.ParquetRecords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a run of an ingest: the rows of all complete files, its dead letters, and its account.
 *
 * @param rows in the order of their messages
 * @param letters in the order of their messages, each once
 * @param records of the source
 */
record IngestOutcome(List<Row> rows, List<DeadLetter> letters, Counts counts, long records) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ORIGIN = "_origin";

    IngestOutcome {
        rows = List.copyOf(rows);
        letters = List.copyOf(letters);
    }

    /** Where a message comes from. */
    record Origin(String source, long offset, long index) implements Comparable<Origin> {
        private static final Comparator<Origin> ORDER = Comparator.comparing(Origin::source)
                .thenComparing(Origin::offset)
                .thenComparing(Origin::index);

        @Override
        public int compareTo(Origin other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * A row.
     *
     * @param values by column, as {@link ParquetRecords} reads them, without its origin
     */
    record Row(Map<String, @Nullable Object> values, Origin origin) {
        Row {
            values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
        }
    }

    /** A dead letter. */
    record DeadLetter(DeadLetterKind kind, String detail, Origin origin) {}

    /** Returns the columns of the table without the origin, which tests add. */
    static Struct columns(IngestPlan plan) {
        return new Struct(plan.table().fields().stream()
                .filter(field -> !field.name().equals(ORIGIN))
                .toList());
    }

    /**
     * Reads the output of a run.
     *
     * @param table the folder of its files
     * @param deadLetters its file of dead letters, which may not exist
     */
    static IngestOutcome read(IngestPlan plan, Path table, Path deadLetters, IngestTotals totals) throws IOException {
        List<Row> rows = new ArrayList<>();
        for (Path file : files(table)) {
            for (Map<String, @Nullable Object> values : ParquetRecords.read(file, plan.table())) {
                rows.add(row(values));
            }
        }
        rows.sort(Comparator.comparing(Row::origin));
        return new IngestOutcome(rows, letters(deadLetters), counts(totals, rows.size()), totals.get(Count.RECORDS));
    }

    /** Returns complete files: their names do not start with a dot. */
    private static List<Path> files(Path table) throws IOException {
        if (!Files.isDirectory(table)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(table)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> !file.getFileName().toString().startsWith("."))
                    .toList();
        }
    }

    private static Row row(Map<String, @Nullable Object> values) {
        Map<?, ?> origin = (Map<?, ?>) Objects.requireNonNull(values.remove(ORIGIN), "the plan has the column");
        return new Row(
                values,
                new Origin(
                        String.valueOf(origin.get("source")),
                        (Long) Objects.requireNonNull(origin.get("offset")),
                        (Long) Objects.requireNonNull(origin.get("index"))));
    }

    /** Reads each letter once, because a job that resumes from a checkpoint repeats the letters after it. */
    private static List<DeadLetter> letters(Path file) throws IOException {
        Map<Origin, DeadLetter> letters = new TreeMap<>();
        if (Files.exists(file)) {
            for (String line : Files.readAllLines(file)) {
                DeadLetter letter = letter(JSON.readTree(line));
                letters.put(letter.origin(), letter);
            }
        }
        return List.copyOf(letters.values());
    }

    private static DeadLetter letter(JsonNode json) {
        return new DeadLetter(
                new DeadLetterKind(
                        json.path("stage").asText(), json.path("reason").asText()),
                json.path("detail").asText(),
                new Origin(
                        json.path("source").asText(),
                        json.path("offset").asLong(),
                        json.path("index").asLong()));
    }

    /** Returns the account. Files do not refuse rows. */
    private static Counts counts(IngestTotals totals, long written) {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (Count count : List.of(Count.EVENTS, Count.FILTERED, Count.BAD, Count.KEPT, Count.ROWS)) {
            counts.put(count.text(), totals.get(count));
        }
        counts.put("written", written);
        counts.put("refused", 0L);
        return new Counts(counts, totals.badByReason());
    }

    /** The number of dead letters of each kind. */
    Map<DeadLetterKind, Long> letterCounts() {
        return letters.stream().collect(Collectors.groupingBy(DeadLetter::kind, TreeMap::new, Collectors.counting()));
    }
}
