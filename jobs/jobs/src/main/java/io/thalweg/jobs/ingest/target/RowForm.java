package io.thalweg.jobs.ingest.target;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.block.BlockType;
import io.thalweg.jobs.block.Chained;
import io.thalweg.jobs.ingest.deadletters.IngestDeadLetter;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.ingest.plan.MessageSchema;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.tables.iceberg.Partitioner;
import io.thalweg.warehouse.EncodedRows;
import io.thalweg.warehouse.StreamAddress;
import java.io.Serializable;
import java.time.Duration;

/**
 * The form in which rows are passed to a sink.
 *
 * @param <B> a batch of rows
 */
public sealed interface RowForm<B> extends Serializable {
    /** The type of the edge between translation and sink. */
    BlockType<B> type();

    /** How long rows wait for more; zero = until a batch is full or a checkpoint begins. */
    Duration linger();

    /** Opens a target in a task. */
    RowTarget<B> open(IngestPlan plan);

    /** Column batches, for files and tables. */
    record Columns() implements RowForm<ColumnBatch> {
        @Override
        public BlockType<ColumnBatch> type() {
            return Chained.type(ColumnBatch.class);
        }

        @Override
        public Duration linger() {
            return Duration.ZERO;
        }

        @Override
        public RowTarget<ColumnBatch> open(IngestPlan plan) {
            ColumnWriter columns = new ColumnWriter(plan.table());
            Partitioner partitioner = plan.layout().partitioner();
            return new RowTarget<>() {
                @Override
                public void beginMessage(RawRecords records, int i, long index) {
                    columns.begin();
                }

                @Override
                public RecordWriter beginRow() {
                    columns.beginAnother();
                    return columns;
                }

                @Override
                public void end() {
                    partitioner.requireLast(columns, plan.hasFolders());
                    columns.end();
                }

                @Override
                public void rollback() {
                    columns.rollback();
                }

                @Override
                public int rows() {
                    return columns.rows();
                }

                @Override
                public ColumnBatch take() {
                    return columns.take();
                }
            };
        }
    }

    /** Messages of a topic, with the key, timestamp and headers of the records they come from. */
    record Messages(MessageSchema schema, Duration linger) implements RowForm<MessageBatch> {
        @Override
        public BlockType<MessageBatch> type() {
            return Chained.type(MessageBatch.class);
        }

        @Override
        public RowTarget<MessageBatch> open(IngestPlan plan) {
            return new MessageTarget(schema.writer(plan.table()), schema.header(plan.table()));
        }
    }

    /** Rows in the encoding of a warehouse. */
    record Encoded(StreamAddress table, Duration linger) implements RowForm<EncodedRows> {
        @Override
        public BlockType<EncodedRows> type() {
            return Chained.type(EncodedRows.class);
        }

        @Override
        public RowTarget<EncodedRows> open(IngestPlan plan) {
            return new EncodedTarget(table.encoder(plan.table()));
        }
    }

    /** Collects encoded rows. */
    final class EncodedTarget implements RowTarget<EncodedRows> {
        private final ByteRecordWriter encoder;
        private final EncodedRows.Builder rows = new EncodedRows.Builder();
        private EncodedRows.Origin origin = new EncodedRows.Origin("", RawRecords.NO_PARTITION, 0, 0);
        /** The number of rows of earlier messages. */
        private int earlier;

        EncodedTarget(ByteRecordWriter encoder) {
            this.encoder = encoder;
        }

        @Override
        public void beginMessage(RawRecords records, int i, long index) {
            origin = IngestDeadLetter.origin(records, i, index);
            earlier = rows.rows();
        }

        @Override
        public RecordWriter beginRow() {
            encoder.begin();
            return encoder;
        }

        @Override
        public void end() {
            encoder.end();
            rows.add(encoder.data(), encoder.from(), encoder.to(), origin);
        }

        @Override
        public void rollback() {
            rows.truncate(earlier);
        }

        @Override
        public int rows() {
            return rows.rows();
        }

        @Override
        public EncodedRows take() {
            return rows.take();
        }
    }
}
