package io.thalweg.bench.ingest;

import com.google.api.core.ApiFuture;
import com.google.cloud.bigquery.storage.v1.AppendRowsResponse;
import com.google.cloud.bigquery.storage.v1.BigQueryWriteClient;
import com.google.cloud.bigquery.storage.v1.JsonStreamWriter;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.json.JSONArray;
import org.json.JSONObject;
import org.jspecify.annotations.Nullable;

/** JSON objects that the vendor's {@code JsonStreamWriter} turns into messages. */
final class JsonRows implements RowSender {
    private static final long MICROS = 1_000;

    /** Null if messages are already JSON. */
    private final @Nullable RideDecoder decoder;

    private final JsonStreamWriter writer;
    private JSONArray rows = new JSONArray();

    private JsonRows(@Nullable RideDecoder decoder, JsonStreamWriter writer) {
        this.decoder = decoder;
        this.writer = writer;
    }

    static JsonRows open(IngestOrder order, String stream, BigQueryWriteClient client) throws IOException {
        boolean json = order.variant().format == IngestVariant.MessageFormat.JSON;
        try {
            return new JsonRows(
                    json ? null : RideDecoder.of(order.variant(), RideSchemas.rows(order.schemas())),
                    JsonStreamWriter.newBuilder(stream, client).build());
        } catch (DescriptorValidationException e) {
            throw new IOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    @Override
    public void add(byte[] message) throws IOException {
        rows.put(decoder == null ? parsed(message) : object(decoder.decode(message, 0, message.length)));
    }

    /** Returns a JSON message in the form that the client accepts: times in microseconds, maps as entries. */
    private static JSONObject parsed(byte[] message) {
        JSONObject ride = new JSONObject(new String(message, StandardCharsets.UTF_8));
        ride.put("ts", ride.getLong("ts") * MICROS);
        JSONObject surcharges = ride.optJSONObject("surcharges");
        if (surcharges != null) {
            ride.put("surcharges", entries(surcharges.toMap()));
        }
        return ride;
    }

    private static JSONObject object(GenericRecord record) {
        JSONObject object = new JSONObject();
        for (Schema.Field field : record.getSchema().getFields()) {
            Object value = record.get(field.pos());
            if (value != null) {
                object.put(field.name(), value(value));
            }
        }
        return object;
    }

    private static Object value(Object value) {
        if (value instanceof GenericRecord record) {
            return object(record);
        }
        if (value instanceof Map<?, ?> map) {
            return entries(map);
        }
        if (value instanceof List<?> list) {
            JSONArray elements = new JSONArray();
            list.forEach(each -> elements.put(value(each)));
            return elements;
        }
        return value instanceof CharSequence ? value.toString() : value;
    }

    private static JSONArray entries(Map<?, ?> map) {
        JSONArray entries = new JSONArray();
        map.forEach((key, value) ->
                entries.put(new JSONObject().put("key", String.valueOf(key)).put("value", value)));
        return entries;
    }

    @Override
    public ApiFuture<AppendRowsResponse> send(long offset) throws IOException {
        JSONArray sent = rows;
        rows = new JSONArray();
        try {
            return offset < 0 ? writer.append(sent) : writer.append(sent, offset);
        } catch (DescriptorValidationException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void close() {
        writer.close();
    }
}
