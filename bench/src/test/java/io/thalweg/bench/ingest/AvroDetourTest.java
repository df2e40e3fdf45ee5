package io.thalweg.bench.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.google.bigquery.BigQueryAddress;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFormat;
import io.thalweg.records.RecordReader;
import io.thalweg.records.SchemaText;
import io.thalweg.records.SchemaText.Language;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.thrift.Protocol;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.warehouse.LaneAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AvroDetourTest {
    private static final int COUNT = 500;
    private static final LaneAddress TABLE =
            new BigQueryAddress("project", "rides", "events", false, new BigQueryAddress.Access(null, null, null));

    @TempDir
    private Path folder;

    @Test
    void encoder_generatedMessages_hasTheBytesOfTheDirectOne() throws Exception {
        RideMessages rides = RideMessages.in(folder, IngestVariant.RUN_7, false);
        rides.writeFile("rides", COUNT, 7);
        List<byte[]> direct = rows(rides.file("rides"), TABLE);
        assertThat(direct).hasSize(COUNT);
        assertThat(rows(rides.file("rides"), new AvroDetour(TABLE)))
                .usingElementComparator(Arrays::compare)
                .isEqualTo(direct);
    }

    private List<byte[]> rows(Path messages, LaneAddress table) throws Exception {
        RecordFormat schema = SchemaText.read(Language.THRIFT, folder.resolve("rides.thrift"), "Ride", Protocol.BINARY)
                .format();
        Struct struct = schema.struct();
        RecordReader reader = schema.reader(Translation.of(struct, Selection.ALL), Limits.DEFAULT);
        ByteRecordWriter writer = table.encoder(struct);
        List<byte[]> rows = new ArrayList<>();
        try (Frames frames = new Frames(Files.newInputStream(messages))) {
            while (frames.next()) {
                writer.begin();
                reader.read(frames.data(), frames.from(), frames.to(), writer);
                writer.end();
                rows.add(Arrays.copyOfRange(writer.data(), writer.from(), writer.to()));
            }
        }
        return rows;
    }
}
