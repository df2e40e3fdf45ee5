package io.thalweg.runner;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thalweg.history.TrainingSet;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.schema.Struct;
import io.thalweg.tables.FlatTable;
import io.thalweg.tables.RowTable;
import io.thalweg.tables.iceberg.CatalogAwayException;
import io.thalweg.tables.iceberg.IcebergTableMismatchException;
import io.thalweg.tables.iceberg.TableAddress;
import io.thalweg.tables.iceberg.TableAppender;
import io.thalweg.tables.iceberg.TableLayout;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Where a training set is written: a file, or an Iceberg table. {@link #close} abandons what was not finished or kept. */
sealed interface TrainingOutput extends TrainingSet.Output, Closeable {
    /** Begins the name of an Iceberg table. */
    String ICEBERG = "iceberg:";

    /**
     * Finds an output.
     *
     * @param name a {@code .parquet} or {@code .csv} file, or {@code iceberg:NAMESPACE.TABLE}
     * @param catalog of a table
     * @param description of the run; only a run with the same description resumes
     */
    static TrainingOutput of(String name, String catalog, DeploymentConfig deploymentConfig, String description)
            throws IOException {
        if (name.startsWith(ICEBERG)) {
            String table = name.substring(ICEBERG.length());
            if (!table.matches("\\w[\\w-]*(\\.\\w[\\w-]*)+")) {
                throw UserError.usage(
                        "--out must name a table as iceberg:NAMESPACE.TABLE, was " + name,
                        "such as iceberg:training.demand");
            }
            return new OfTable(catalog, Catalogs.address(catalog, table, deploymentConfig));
        }
        return new OfFile(Path.of(name), FeatureLogs.form(Path.of(name)), description);
    }

    /** Returns what an interrupted run has written, if this run resumes it; null otherwise. */
    TrainingSet.@Nullable Result begun();

    /** Completes the output. */
    void finish() throws IOException;

    /** Keeps an incomplete output for the next run, if it can; returns what became of it, for people. */
    String keep(TrainingSet.Result result) throws IOException;

    /**
     * A file. An interrupted run keeps its rows beside it, in {@code train.interrupted.parquet}, and what the run was in {@code
     * train.interrupted.parquet.json}.
     */
    final class OfFile implements TrainingOutput {
        private static final JsonMapper JSON = new JsonMapper();

        private final RowTable.Form form;
        private final String description;
        private final Path rows;
        private final Path state;
        private final TrainingSet.@Nullable Result begun;
        private final FinishedFile file;

        private OfFile(Path out, RowTable.Form form, String description) throws IOException {
            this.form = form;
            this.description = description;
            String name = out.getFileName().toString();
            int dot = name.lastIndexOf('.');
            rows = out.resolveSibling(name.substring(0, dot) + ".interrupted" + name.substring(dot));
            state = rows.resolveSibling(rows.getFileName() + ".json");
            begun = read();
            file = FinishedFile.open("--out", out);
        }

        private TrainingSet.@Nullable Result read() throws IOException {
            if (!Files.exists(rows) || !Files.exists(state)) {
                return null;
            }
            JsonNode kept = JSON.readTree(state.toFile());
            if (!kept.path("run").asText().equals(description)) {
                return null;
            }
            Map<String, Map<String, Long>> statuses = new TreeMap<>();
            kept.path("statuses").properties().forEach(view -> {
                Map<String, Long> counts = new TreeMap<>();
                view.getValue()
                        .properties()
                        .forEach(each ->
                                counts.put(each.getKey(), each.getValue().asLong()));
                statuses.put(view.getKey(), counts);
            });
            return new TrainingSet.Result(
                    kept.path("labels").asLong(), kept.path("log_bytes").asLong(), statuses, false);
        }

        @Override
        public TrainingSet.@Nullable Result begun() {
            return begun;
        }

        @Override
        public FlatTable open(Struct columns) throws IOException {
            return begun == null
                    ? FlatTable.open(form, columns, file.out())
                    : FlatTable.continuing(rows, form, columns, file.out());
        }

        @Override
        public void finish() throws IOException {
            file.finish();
            Files.deleteIfExists(state);
            Files.deleteIfExists(rows);
        }

        @Override
        public String keep(TrainingSet.Result result) throws IOException {
            if (result.labels() == 0) {
                return "interrupted";
            }
            Files.deleteIfExists(state);
            file.finishAs(rows);
            ObjectNode kept = JSON.createObjectNode()
                    .put("run", description)
                    .put("labels", result.labels())
                    .put("log_bytes", result.logBytes());
            kept.set("statuses", JSON.valueToTree(result.statuses()));
            Files.writeString(state, kept.toString());
            return "interrupted after %,d labels; the same command resumes".formatted(result.labels());
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    /** An Iceberg table, to which a complete set is appended in one commit. */
    final class OfTable implements TrainingOutput {
        private static final String WRITER = "training-set";

        private final String catalog;
        private final TableAddress address;
        private @Nullable TableAppender table;

        private OfTable(String catalog, TableAddress address) {
            this.catalog = catalog;
            this.address = address;
            Catalogs.requireWritable(catalog, address);
        }

        @Override
        public TrainingSet.@Nullable Result begun() {
            return null;
        }

        @Override
        public FlatTable open(Struct columns) {
            TableAppender opened;
            try {
                opened = new TableAppender(address, new TableLayout(columns, List.of(), false), WRITER);
            } catch (IcebergTableMismatchException e) {
                throw UserError.failed("--out: " + e.getMessage(), "name another table")
                        .causedBy(e);
            } catch (CatalogAwayException e) {
                throw Catalogs.away(catalog, e);
            }
            table = opened;
            return new FlatTable() {
                @Override
                public void add(ColumnBatch batch) throws IOException {
                    opened.add(batch);
                }

                @Override
                public void finish() {
                    // Committed by the output, if the set is complete.
                }
            };
        }

        @Override
        public void finish() throws IOException {
            if (table != null) {
                try {
                    table.commit();
                } catch (CatalogAwayException e) {
                    throw Catalogs.away(catalog, e);
                }
            }
        }

        @Override
        public String keep(TrainingSet.Result result) {
            return "interrupted; nothing was appended to " + address.name();
        }

        @Override
        public void close() throws IOException {
            if (table != null) {
                table.close();
            }
        }
    }
}
