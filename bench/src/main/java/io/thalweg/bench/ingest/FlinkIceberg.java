package io.thalweg.bench.ingest;

import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.ingest.Ingester.IngestOrder;
import io.thalweg.bench.ingest.RideMessages.RideSchemas;
import io.thalweg.bench.ingest.TableDigest.DataFiles;
import io.thalweg.bench.rivals.RivalFlink;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.formats.avro.AvroFormatOptions.AvroEncoding;
import org.apache.flink.formats.avro.AvroRowDataDeserializationSchema;
import org.apache.flink.formats.avro.typeutils.AvroSchemaConverter;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.flink.sink.IcebergSink;
import org.apache.iceberg.hadoop.HadoopTables;

/**
 * Stock Flink: its Kafka source, its Avro format, Iceberg's own sink into a table in a folder; exactly once.
 *
 * @param dictionaries whether Parquet tries one for each column, as by default; the sink cannot configure single columns
 */
record FlinkIceberg(IngestOrder order, boolean dictionaries) implements Ingester {
    @Override
    public void ingest(String input, Path output) throws Exception {
        DataType table = AvroSchemaConverter.convertToDataType(
                RideSchemas.messages(order.schemas()).toString(), false);
        RowType type = (RowType) table.getLogicalType();
        TableLoader loader = create(table, output.resolve(DataFiles.ICEBERG).toString());
        StreamExecutionEnvironment environment = RivalFlink.environment(
                order.parallelism(), Folders.temporary().resolve("checkpoints-" + output.getFileName()));
        DataStream<RowData> rows = RivalFlink.readToEnd(
                environment,
                order.bootstrap(),
                input,
                new AvroRowDataDeserializationSchema(type, InternalTypeInfo.of(type), AvroEncoding.BINARY, false));
        IcebergSink.forRowData(rows).tableLoader(loader).append();
        environment.execute("rides");
    }

    private TableLoader create(DataType table, String location) {
        Configuration hadoop = new Configuration();
        // Hadoop's own file system would write a checksum beside each file.
        hadoop.setClass("fs.file.impl", RawLocalFileSystem.class, org.apache.hadoop.fs.FileSystem.class);
        Map<String, String> properties = new HashMap<>(Map.of("format-version", "2"));
        if (!dictionaries) {
            properties.put("parquet.enable.dictionary", "false");
        }
        var unused = new HadoopTables(hadoop)
                .create(
                        FlinkSchemaUtil.convert(ResolvedSchema.physical(
                                DataType.getFieldNames(table), DataType.getFieldDataTypes(table))),
                        PartitionSpec.unpartitioned(),
                        properties,
                        location);
        return TableLoader.fromHadoopTable(location, hadoop);
    }
}
