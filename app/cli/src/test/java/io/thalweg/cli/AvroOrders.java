package io.thalweg.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;

/** An Avro container of orders, with what flat formats do not have: a record in a record, times of logical types, a list. */
final class AvroOrders {
    private static final Schema SCHEMA = new Schema.Parser().parse("""
            {"type": "record", "name": "Order", "fields": [
              {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
              {"name": "customer", "type": {"type": "record", "name": "Customer", "fields": [
                {"name": "id", "type": "string"}]}},
              {"name": "amount", "type": ["null", "double"]},
              {"name": "delivered", "type": {"type": "int", "logicalType": "date"}},
              {"name": "tags", "type": {"type": "array", "items": "string"}}]}
            """);

    private AvroOrders() {}

    /** Writes orders of five customers, whose ids are digits, a second apart. */
    static Path write(Path file, int orders) throws IOException {
        try (DataFileWriter<GenericRecord> out = new DataFileWriter<>(new GenericDatumWriter<>(SCHEMA))) {
            out.create(SCHEMA, file.toFile());
            for (int i = 0; i < orders; i++) {
                GenericRecord customer =
                        new GenericData.Record(SCHEMA.getField("customer").schema());
                customer.put("id", "00" + i % 5);
                GenericRecord order = new GenericData.Record(SCHEMA);
                order.put("at", 1_767_290_400_000L + i * 1_000L);
                order.put("customer", customer);
                order.put("amount", 0.5 + i);
                order.put("delivered", 20_454);
                order.put("tags", List.of("new"));
                out.append(order);
            }
        }
        return file;
    }
}
