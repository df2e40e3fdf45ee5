package io.thalweg.runner;

import io.thalweg.formats.BadReason;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.RowJson;
import io.thalweg.model.table.Materialization;
import io.thalweg.tables.TableFiles;
import io.thalweg.tables.TablePart;
import io.thalweg.tables.TableReader;
import io.thalweg.tables.TableSplit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads a table and judges its rows without writing them. Prints the first rows on the standard output, bad rows and the
 * counts on stderr.
 *
 * @param part of the table
 */
public record MaterializeDryRun(Materialization spec, TablePart part) {
    private static final int SHOWN = 5;
    private static final int BATCH = 1_024;

    public void run(Console console, boolean quiet) throws IOException {
        long nowMs = Clock.systemUTC().millis();
        TableFiles files = TableFiles.of(spec, part);
        MaterializeRun.reportEmpty(spec, files, console);
        Findings findings = new Findings(spec, console);
        try (ProgressLine progress = console.progress(quiet)) {
            for (TableSplit split : files.splits()) {
                findings.split = split;
                try (TableReader reader = TableReader.open(spec, split, 0, nowMs)) {
                    while (reader.read(BATCH, findings) > 0) {
                        progress.show(() -> "%s: %,d rows".formatted(spec.view().qualifiedName(), findings.rows()));
                    }
                }
            }
        }
        findings.bad.values().forEach(console.err()::println);
        long fileCount =
                files.splits().stream().map(TableSplit::path).distinct().count();
        console.err()
                .println("%s: %sfiles=%d rows=%d good=%d bad=%d, nothing written"
                        .formatted(
                                spec.view().qualifiedName(),
                                files.snapshot() == null ? "" : "snapshot=" + files.snapshot() + " ",
                                fileCount,
                                findings.rows(),
                                findings.good,
                                findings.rows() - findings.good));
        if (findings.good == 0 && findings.rows() > 0) {
            throw MaterializeRun.noneUsable(findings.rows(), "their reasons are above");
        }
    }

    /** Prints the first rows and counts good and bad ones. */
    private static final class Findings implements TableReader.Output {
        private final Console console;
        private final RowJson json;
        private final Map<BadReason, Bad> bad = new TreeMap<>();
        private TableSplit split = new TableSplit("", java.util.List.of(), 0, 0, 0);
        private long good;

        Findings(Materialization spec, Console console) {
            this.console = console;
            this.json = RowJson.of(spec.view());
        }

        long rows() {
            return good + bad.values().stream().mapToLong(each -> each.count).sum();
        }

        @Override
        public void rows(KeyedRowBlock block) {
            for (int row = 0; row < block.rows() && good + row < SHOWN; row++) {
                console.out().println(new String(json.value(block, row), StandardCharsets.UTF_8));
            }
            good += block.rows();
        }

        @Override
        public void bad(BadReason reason, String detail, long row, byte[] raw) {
            bad.computeIfAbsent(
                            reason,
                            r -> new Bad(
                                    "  " + r.text(), ", first in %s row %d: %s".formatted(split.id(), row, detail)))
                    .count++;
        }
    }

    /** Rows that are bad for one reason. */
    private static final class Bad {
        private final String reason;
        private final String first;
        private long count;

        Bad(String reason, String first) {
            this.reason = reason;
            this.first = first;
        }

        @Override
        public String toString() {
            return reason + " " + count + first;
        }
    }
}
