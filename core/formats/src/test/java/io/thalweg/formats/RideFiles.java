package io.thalweg.formats;

import io.thalweg.formats.RideMessages.Encoding;
import io.thalweg.model.view.FeatureView;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;

/** Files of rides, and views over them. */
public final class RideFiles {
    /** A view with rings and one of keys; the keys in which the sources of a test differ replace KEYS. */
    public static final List<String> VIEWS = List.of(RecordDecoderTest.RINGS, RecordDecoderTest.KEYS);

    private RideFiles() {}

    public static FeatureView view(String yaml, String keys, Path folder) throws IOException {
        return RecordDecoderTest.view(yaml, keys, folder);
    }

    /** Returns rides of some minutes, out of order. */
    public static List<Map<String, Object>> rides(long seed, int count) {
        Random random = new Random(seed);
        List<Map<String, Object>> rides = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rides.add(RideMessages.ride(random, Views.T0 + i * 300L));
        }
        return rides;
    }

    public static void writeLines(Path file, List<Map<String, Object>> rides) throws IOException {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            for (Map<String, Object> ride : rides) {
                out.write(RideMessages.json(ride));
                out.write('\n');
            }
        }
    }

    public static void writeFramed(Path file, List<Map<String, Object>> rides, Encoding encoding) throws IOException {
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            for (Map<String, Object> ride : rides) {
                byte[] message = RideMessages.encode(ride, encoding);
                out.writeInt(message.length);
                out.write(message);
            }
        }
    }

    /** Writes several compressed blocks. */
    public static void writeContainer(Path file, List<Map<String, Object>> rides) throws IOException {
        try (DataFileWriter<GenericRecord> out = new DataFileWriter<>(new GenericDatumWriter<>(RideMessages.AVRO))) {
            out.setCodec(CodecFactory.deflateCodec(1));
            out.setSyncInterval(4_000);
            out.create(RideMessages.AVRO, file.toFile());
            for (Map<String, Object> ride : rides) {
                out.append(RideMessages.avroRecord(ride));
            }
        }
    }

    /** Writes a container whose only object has a field of another type than in the schema. */
    public static void writeOtherContainer(Path file) throws IOException {
        Schema other = new Schema.Parser().parse("""
                {"type": "record", "name": "Ride", "fields": [{"name": "lat", "type": "string"}]}""");
        try (DataFileWriter<GenericRecord> out = new DataFileWriter<>(new GenericDatumWriter<>(other))) {
            out.create(other, file.toFile());
            GenericRecord record = new GenericData.Record(other);
            record.put("lat", "north");
            out.append(record);
        }
    }
}
