package io.thalweg.bench.ingest;

import com.google.api.core.ApiFuture;
import com.google.cloud.bigquery.storage.v1.AppendRowsResponse;
import com.google.cloud.bigquery.storage.v1.BigQueryWriteClient;
import com.google.cloud.bigquery.storage.v1.ProtoRows;
import com.google.cloud.bigquery.storage.v1.ProtoSchemaConverter;
import com.google.cloud.bigquery.storage.v1.StreamWriter;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.DynamicMessage;
import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.beam.sdk.io.gcp.bigquery.AvroGenericRecordToStorageApiProto;
import org.apache.beam.sdk.io.gcp.bigquery.TableRowToStorageApiProto;
import org.jspecify.annotations.Nullable;

/** Avro records that Beam's converter turns into messages: the published path without its runner. */
final class BeamRows implements RowSender {
    private static final @Nullable String NO_CHANGE = null;

    private final RideDecoder decoder;
    private final Descriptor type;
    private final StreamWriter writer;
    private ProtoRows.Builder rows = ProtoRows.newBuilder();

    private BeamRows(RideDecoder decoder, Descriptor type, StreamWriter writer) {
        this.decoder = decoder;
        this.type = type;
        this.writer = writer;
    }

    static BeamRows open(IngestOrder order, String stream, BigQueryWriteClient client) throws IOException {
        Schema schema = RideSchemas.rows(order.schemas());
        try {
            Descriptor type = TableRowToStorageApiProto.getDescriptorFromTableSchema(
                    AvroGenericRecordToStorageApiProto.protoTableSchemaFromAvroSchema(schema), true, false);
            return new BeamRows(
                    RideDecoder.of(order.variant(), schema),
                    type,
                    StreamWriter.newBuilder(stream, client)
                            .setWriterSchema(ProtoSchemaConverter.convert(type))
                            .build());
        } catch (DescriptorValidationException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void add(byte[] message) throws IOException {
        GenericRecord ride = decoder.decode(message, 0, message.length);
        DynamicMessage row =
                AvroGenericRecordToStorageApiProto.messageFromGenericRecord(type, ride, NO_CHANGE, NO_CHANGE);
        rows.addSerializedRows(row.toByteString());
    }

    @Override
    public ApiFuture<AppendRowsResponse> send(long offset) {
        ProtoRows message = rows.build();
        rows = ProtoRows.newBuilder();
        return offset < 0 ? writer.append(message) : writer.append(message, offset);
    }

    @Override
    public void close() {
        writer.close();
    }
}
