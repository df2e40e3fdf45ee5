package io.thalweg.formats.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.LineReader;
import io.thalweg.formats.Projection;
import io.thalweg.formats.RecordDecoder;
import io.thalweg.formats.RideFiles;
import io.thalweg.formats.RideMessages;
import io.thalweg.formats.RideMessages.Encoding;
import io.thalweg.formats.view.BatchReader;
import io.thalweg.formats.view.EventVerdict;
import io.thalweg.model.view.FeatureView;
import java.io.ByteArrayInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Events of framed files, intact and damaged. */
class EventFilesTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void read_container_rawBytesAreThoseOfEachObject() throws IOException {
        List<Map<String, Object>> rides = RideFiles.rides(5, 3_000);
        Path container = folder.resolve("rides.avro");
        RideFiles.writeContainer(container, rides);
        Projection projection =
                Projection.of(List.of(RideFiles.view(RideFiles.VIEWS.get(0), Encoding.AVRO.keys(), folder)));
        EventColumns events = new EventColumns(projection);

        try (EventFile file = files(projection).open(container)) {
            while (file.next(events)) {
                // All events stay in one batch, across the blocks of the container.
            }
        }

        assertThat(events.size()).isEqualTo(rides.size());
        for (int e = 0; e < events.size(); e++) {
            byte[] raw =
                    Arrays.copyOfRange(events.raw(e), events.rawOffset(e), events.rawOffset(e) + events.rawLength(e));
            assertThat(raw).isEqualTo(RideMessages.encode(rides.get(e), Encoding.AVRO));
        }
    }

    private static EventFiles files(Projection projection) {
        return new EventFiles(
                projection, UnaryOperator.identity(), LineReader::lineNumber, RecordDecoder::create, TypedFiles.NONE);
    }

    /** After a bad object, no further object of the block can be found; the next block can. */
    @Test
    void read_damage_isOneBadEvent() throws IOException {
        Projection projection =
                Projection.of(List.of(RideFiles.view(RideFiles.VIEWS.get(0), Encoding.AVRO.keys(), folder)));
        byte[] good = RideMessages.encode(RideFiles.rides(5, 1).get(0), Encoding.AVRO);
        Path framed = folder.resolve("damaged.bin");
        try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(framed))) {
            out.writeInt(good.length);
            out.write(good);
            out.writeInt(2 << 20);
            out.write(new byte[2 << 20]);
            out.writeInt(good.length);
            out.write(good);
            out.writeInt(Integer.MAX_VALUE);
            out.write(good);
        }
        EventColumns events = new EventColumns(projection);

        try (EventFile file = files(projection).open(framed)) {
            while (file.next(events)) {
                // into one batch
            }
        }

        assertThat(events.size()).isEqualTo(4);
        assertThat(events.decodeReason(0)).isNull();
        assertThat(events.decodeReason(1)).isEqualTo(BadReason.TOO_LARGE);
        assertThat(events.rawTotal(1)).isEqualTo(2 << 20);
        assertThat(events.recordOffset(2)).isEqualTo(4 + good.length + 4 + (2 << 20));
        assertThat(events.decodeReason(2)).isNull();
        assertThat(events.decodeReason(3)).isEqualTo(BadReason.UNDECODABLE);
        assertThat(events.decodeError(3)).contains("claims 2147483647 bytes");
    }

    @Test
    void read_containerOfAnotherSchema_isBad() throws IOException {
        Path file = folder.resolve("other.avro");
        RideFiles.writeOtherContainer(file);
        FeatureView view = RideFiles.view(RideFiles.VIEWS.get(0), Encoding.AVRO.keys(), folder);
        List<EventVerdict> verdicts = new ArrayList<>();

        BatchReader.of(List.of(view)).read(file, verdicts::add);

        assertThat(verdicts).hasSize(1);
        assertThat(verdicts.get(0).deadLetter())
                .satisfies(letter -> assertThat(letter.reason()).isEqualTo(BadReason.UNDECODABLE))
                .satisfies(letter -> assertThat(letter.detail()).contains("lat"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rides.avro", "-"})
    void open_nameThatDoesNotFit_isRefused(String name) throws IOException {
        Projection projection =
                Projection.of(List.of(RideFiles.view(RideFiles.VIEWS.get(0), Encoding.PROTOBUF.keys(), folder)));

        assertThatThrownBy(() -> {
                    EventFiles files = files(projection);
                    EventFile unused = name.equals("-")
                            ? files.open(new ByteArrayInputStream(new byte[0]), name)
                            : files.open(folder.resolve(name));
                })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("protobuf")
                .hasMessageContaining("name");
    }
}
