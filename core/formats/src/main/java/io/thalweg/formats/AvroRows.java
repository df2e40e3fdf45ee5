package io.thalweg.formats;

import io.thalweg.model.row.Finality;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.ValueType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.SchemaBuilder.FieldAssembler;
import org.apache.avro.SchemaFormatter;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/**
 * Encodes a view's rows as Avro, one record each, in Avro's single-object encoding: {@code C3 01}, the schema's
 * fingerprint (CRC-64-AVRO, little-endian), the record. See {@code docs/reference/rows.md}.
 *
 * <p><b>Shape.</b> The record is named as the view; its fields are the entities as defined, {@code window_end}, {@code
 * finality}, {@code created}, and {@code features}, a record of doubles, rings outer, windows inner.
 *
 * <p><b>Threads.</b> Not for use by several threads at once.
 */
public final class AvroRows {
    private static final String NAMESPACE = "thalweg";
    private static final List<String> FINALITIES = List.of(Finality.PARTIAL.name(), Finality.FINAL.name());
    private static final int HEADER_BYTES = 10;

    private final FeatureView view;
    private final int[] regularSizes;
    private final int[] panes;
    private final byte[] header;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(512);
    private final BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);

    /** Creates an encoder of this view's rows. */
    public AvroRows(FeatureView view) {
        this.view = view;
        this.regularSizes =
                view.rings().stream().mapToInt(HexRowBlock::regularDiskSize).toArray();
        this.panes = view.windows().panes();
        this.header = ByteBuffer.allocate(HEADER_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) 0xC3)
                .put((byte) 0x01)
                .putLong(SchemaNormalization.parsingFingerprint64(schema(view)))
                .array();
    }

    /** Returns the schema of a view's rows as JSON, for readers and registries. */
    public static String schemaJson(FeatureView view) {
        return SchemaFormatter.format("json/pretty", schema(view));
    }

    static Schema schema(FeatureView view) {
        FieldAssembler<Schema> fields = SchemaBuilder.record(view.qualifiedName())
                .namespace(NAMESPACE)
                .doc(view.description())
                .fields();
        for (Entity entity : view.entities()) {
            fields = fields.name(entity.name()).type(type(entity)).noDefault();
        }
        return fields.name("window_end")
                .type(time())
                .noDefault()
                .name("finality")
                .type(Schema.createEnum("finality", "A FINAL row does not change", within(view), FINALITIES))
                .noDefault()
                .name("created")
                .type(time())
                .noDefault()
                .name("features")
                .type(features(view))
                .noDefault()
                .endRecord();
    }

    /** Returns the namespace of the types within a row, so that a view may have the same name as any of them. */
    private static String within(FeatureView view) {
        return NAMESPACE + "." + view.qualifiedName();
    }

    private static Schema time() {
        return LogicalTypes.timestampMillis().addToSchema(Schema.create(Schema.Type.LONG));
    }

    private static Schema type(Entity entity) {
        ValueType type = entity instanceof Entity.Field field ? field.type() : ValueType.STRING;
        return switch (type) {
            case STRING -> Schema.create(Schema.Type.STRING);
            case UUID -> LogicalTypes.uuid().addToSchema(Schema.create(Schema.Type.STRING));
            case INT64 -> Schema.create(Schema.Type.LONG);
            case BOOL -> Schema.create(Schema.Type.BOOLEAN);
        };
    }

    private static Schema features(FeatureView view) {
        FieldAssembler<Schema> features =
                SchemaBuilder.record("features").namespace(within(view)).fields();
        for (String name : view.featureNames()) {
            features = features.requiredDouble(name);
        }
        return features.endRecord();
    }

    /** Encodes row {@code row} of a block of this view as a value for Kafka. */
    public byte[] value(HexRowBlock block, int row, long createdMs) {
        try {
            out.reset();
            out.write(header);
            entities(block, row);
            encoder.writeLong(block.windowEndMs());
            encoder.writeEnum(FINALITIES.indexOf(block.finality().name()));
            encoder.writeLong(createdMs);
            features(block, row);
            return out.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException("bytes in memory could not be written", e);
        }
    }

    private void entities(HexRowBlock block, int row) throws IOException {
        List<Object> group = block.group();
        int field = 0;
        for (Entity entity : view.entities()) {
            if (entity instanceof Entity.Cell) {
                encoder.writeString(Long.toHexString(block.cells()[row]));
            } else {
                value(group.get(field++));
            }
        }
    }

    private void value(Object value) throws IOException {
        if (value instanceof Long number) {
            encoder.writeLong(number);
        } else if (value instanceof Boolean bool) {
            encoder.writeBoolean(bool);
        } else {
            encoder.writeString((String) value);
        }
    }

    private void features(HexRowBlock block, int row) throws IOException {
        int[] sizes = block.diskSizes();
        int at = row * regularSizes.length * panes.length;
        for (int ring = 0; ring < regularSizes.length; ring++) {
            int size = sizes == null ? regularSizes[ring] : sizes[row * regularSizes.length + ring];
            for (int window : panes) {
                encoder.writeDouble(HexRowBlock.value(block.sums()[at++], size, window));
            }
        }
    }
}
