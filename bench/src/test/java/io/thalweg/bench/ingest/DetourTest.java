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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DetourTest {
    private static final int COUNT = 500;
    private static final BigQueryAddress TABLE =
            new BigQueryAddress("project", "rides", "events", false, new BigQueryAddress.Access(null, null, null));

    @TempDir
    private Path folder;

    private Path messages;

    @BeforeEach
    void write() throws Exception {
        RideMessages rides = RideMessages.in(folder, IngestVariant.RUN_7, false);
        rides.writeFile("rides", COUNT, 7);
        messages = rides.file("rides");
    }

    @ParameterizedTest
    @EnumSource(Detour.class)
    void encoder_generatedMessages_hasTheBytesOfTheDirectOne(Detour detour) throws Exception {
        List<byte[]> direct = rows(Detour.NONE);

        assertThat(direct).hasSize(COUNT);
        assertThat(rows(detour)).usingElementComparator(Arrays::compare).isEqualTo(direct);
    }

    @Test
    void of_aSystem_isTheDetourThatItIsCalledAfter() {
        for (Detour detour : Detour.values()) {
            assertThat(Detour.of(detour.system())).isEqualTo(detour);
        }
    }

    private List<byte[]> rows(Detour detour) throws Exception {
        RecordFormat schema = SchemaText.read(Language.THRIFT, folder.resolve("rides.thrift"), "Ride", Protocol.BINARY)
                .format();
        Struct struct = schema.struct();
        RecordReader reader = schema.reader(Translation.of(struct, Selection.ALL), Limits.DEFAULT);
        ByteRecordWriter writer = new Detour.Table(TABLE, detour).encoder(struct);
        List<byte[]> rows = new ArrayList<>();
        try (Frames frames = new Frames(Files.newInputStream(messages), false)) {
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
