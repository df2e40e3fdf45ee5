package io.thalweg.jobs.ingest.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.Definitions;
import io.thalweg.testing.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MadeUpMessagesTest {
    @TempDir
    Path folder;

    private static final class Collected implements MadeUpMessages.Records {
        private final List<Long> times = new ArrayList<>();

        @Override
        public void write(byte[] record, @Nullable String codec) {
            String text = new String(record, StandardCharsets.UTF_8);
            times.add(Long.parseLong(text.replaceAll("\\D", "")));
        }

        @Override
        public void close() {}
    }

    @Test
    void write_fieldIsNow_hasTheTimeOfItsMessage() throws IOException {
        Files.writeString(folder.resolve("clicks.json"), """
                {"type": "object", "required": ["ts"], "properties": {"ts": {"type": "integer"}}}
                """);
        Path definition = Files.writeString(folder.resolve("clicks.yaml"), """
                apiVersion: thalweg/v1
                kind: Ingest
                name: clicks
                source: {topic: clicks, format: json, schema: {file: clicks.json}}
                sink: {parquet: out}
                generate: {fields: {ts: now}}
                """);
        IngestPlan plan =
                IngestPlan.of(Definitions.load(List.of(definition)).ingests().get(0));
        Collected records = new Collected();

        long before = System.currentTimeMillis();
        try (MadeUpMessages messages =
                MadeUpMessages.toRecords(plan, plan.ingest().generate(), 1, records)) {
            messages.write();
            long first = System.currentTimeMillis();
            Await.until("the next millisecond", () -> System.currentTimeMillis() > first);
            messages.write();
        }

        assertThat(records.times).hasSize(2).doesNotHaveDuplicates().isSorted();
        assertThat(records.times.get(0)).isGreaterThanOrEqualTo(before);
    }
}
