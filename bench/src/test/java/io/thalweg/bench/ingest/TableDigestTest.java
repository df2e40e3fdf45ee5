package io.thalweg.bench.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.tables.ParquetCodecs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableDigestTest {
    private static final MessageType SCHEMA = MessageTypeParser.parseMessageType("""
            message ride {
              required int64 id;
              optional binary note (STRING);
              optional group stops (LIST) { repeated group list { required int32 element; } }
              optional group fees (MAP) {
                repeated group key_value { required binary key (STRING); required double value; } }
            }
            """);

    private static final MessageType OTHER_ORDER = MessageTypeParser.parseMessageType("""
            message table {
              optional group fees (MAP) {
                repeated group entries { required binary key (STRING); required double value; } }
              optional binary note (STRING);
              optional group stops (LIST) { repeated group bag { required int32 item; } }
              required int64 id;
            }
            """);

    @TempDir
    private Path folder;

    private int written;

    /** A row; a note of null is left out, and the entries of the map are in either order. */
    private record Ride(long id, String note, int stops, boolean turned) {
        Group in(MessageType schema) {
            Group row = new SimpleGroupFactory(schema).newGroup().append("id", id);
            if (!note.isEmpty()) {
                row.append("note", note);
            }
            Group list = row.addGroup("stops");
            for (int i = 0; i < stops; i++) {
                list.addGroup(0).append(list.getType().getType(0).asGroupType().getFieldName(0), (int) id + i);
            }
            Group map = row.addGroup("fees");
            for (int i = 0; i < 2; i++) {
                boolean first = i == 0 ^ turned;
                map.addGroup(0).append("key", first ? "toll" : "tip").append("value", first ? 1.5 : id);
            }
            return row;
        }
    }

    private Path write(MessageType schema, List<Ride> rides) throws IOException {
        Path file = folder.resolve(written++ + ".parquet");
        try (ParquetWriter<Group> writer = ExampleParquetWriter.builder(new LocalOutputFile(file))
                .withType(schema)
                .withConf(new PlainParquetConfiguration())
                .withCodecFactory(new ParquetCodecs())
                .withCompressionCodec(CompressionCodecName.ZSTD)
                .withRowGroupRowCountLimit(10)
                .build()) {
            for (Ride ride : rides) {
                writer.write(ride.in(schema));
            }
        }
        return file;
    }

    private static List<Ride> rides() {
        List<Ride> rides = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            rides.add(new Ride(i, i % 3 == 0 ? "" : "note " + i, i % 4, false));
        }
        return rides;
    }

    @Test
    void rows_inOtherOrderOtherFilesAndOtherColumns_areTheSame() throws Exception {
        List<Ride> turned = new ArrayList<>(rides().stream()
                .map(ride -> new Ride(ride.id(), ride.note(), ride.stops(), true))
                .toList());
        Collections.shuffle(turned, new Random(1));
        TableDigest one = TableDigest.of(List.of(write(SCHEMA, rides())));
        Path first = write(OTHER_ORDER, turned.subList(0, 20));
        Path second = write(OTHER_ORDER, turned.subList(20, 50));
        TableDigest other = TableDigest.of(List.of(first, second));
        assertThat(one.rows()).isEqualTo(50);
        assertThat(other.files()).isEqualTo(2);
        assertThat(other.bytes()).isEqualTo(Files.size(first) + Files.size(second));
        assertThat(other.hasRowsOf(one)).isTrue();
    }

    @Test
    void rows_oneChanged_areNotTheSame() throws Exception {
        TableDigest one = TableDigest.of(List.of(write(SCHEMA, rides())));
        Ride old = rides().get(7);
        for (Ride changed : List.of(
                new Ride(99, old.note(), old.stops(), false),
                new Ride(old.id(), "", old.stops(), false),
                new Ride(old.id(), "note 8", old.stops(), false),
                new Ride(old.id(), old.note(), 1, false),
                rides().get(8))) {
            List<Ride> rides = rides();
            rides.set(7, changed);
            assertThat(TableDigest.of(List.of(write(SCHEMA, rides))).hasRowsOf(one))
                    .as(changed.toString())
                    .isFalse();
        }
    }

    @Test
    void rows_oneMissing_areNotTheSame() throws Exception {
        TableDigest one = TableDigest.of(List.of(write(SCHEMA, rides())));
        TableDigest fewer = TableDigest.of(List.of(write(SCHEMA, rides().subList(0, 49))));
        assertThat(fewer.hasRowsOf(one)).isFalse();
        assertThat(fewer.rows()).isEqualTo(49);
    }
}
