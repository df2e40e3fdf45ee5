package io.thalweg.devkit.google;

import com.google.cloud.bigquery.storage.v1.ProtoRows;
import com.google.cloud.bigquery.storage.v1.ProtoSchema;
import com.google.cloud.bigquery.storage.v1.RowError;
import com.google.cloud.bigquery.storage.v1.TableSchema;
import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decodes the rows of one connection with the type from its first request. */
final class RowDecoder {
    private final Descriptor type;
    private final TableSchema table;
    private final BigQueryFaults faults;
    /** Null unless the table only counts. */
    private final @Nullable RowDigest digest;

    RowDecoder(ProtoSchema schema, FakeTable into, BigQueryFaults faults) {
        table = into.schema();
        this.faults = faults;
        try {
            FileDescriptorProto file = FileDescriptorProto.newBuilder()
                    .setName("rows.proto")
                    .addMessageType(schema.getProtoDescriptor())
                    .build();
            type = FileDescriptor.buildFrom(file, new FileDescriptor[0])
                    .getMessageTypes()
                    .get(0);
        } catch (DescriptorValidationException e) {
            throw Status.INVALID_ARGUMENT.withDescription(e.getMessage()).asRuntimeException();
        }
        String wrong = RowChecks.type(type, table.getFieldsList());
        if (wrong != null) {
            throw Status.INVALID_ARGUMENT.withDescription(wrong).asRuntimeException();
        }
        FakeTable.Counting counting = into.counting();
        digest = counting == null ? null : new RowDigest(type, counting.timeColumn());
    }

    /** The decoded rows, and the problems of some of them. */
    record Decoded(FakeStream.Batch batch, List<RowError> errors) {}

    Decoded decode(ProtoRows rows) {
        return digest == null ? checked(rows) : new Decoded(digest.batch(rows.getSerializedRowsList()), List.of());
    }

    private Decoded checked(ProtoRows rows) {
        List<DynamicMessage> decoded = new ArrayList<>(rows.getSerializedRowsCount());
        List<RowError> errors = new ArrayList<>();
        long bytes = 0;
        for (int i = 0; i < rows.getSerializedRowsCount(); i++) {
            ByteString row = rows.getSerializedRows(i);
            bytes += row.size();
            String wrong;
            try {
                DynamicMessage message = DynamicMessage.parseFrom(type, row);
                wrong = RowChecks.row(message, table.getFieldsList(), faults::refuses);
                decoded.add(message);
            } catch (InvalidProtocolBufferException e) {
                wrong = "cannot be parsed: " + e.getMessage();
            }
            if (wrong != null) {
                errors.add(RowError.newBuilder()
                        .setIndex(i)
                        .setCode(RowError.RowErrorCode.FIELDS_ERROR)
                        .setMessage(wrong)
                        .build());
            }
        }
        return new Decoded(FakeStream.Batch.of(decoded, bytes), errors);
    }
}
