package io.thalweg.records.avro;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;

/**
 * Writes encoded messages to an Avro object container file, compressed by deflate.
 *
 * <p><b>Threads.</b> One.
 */
public final class AvroContainerWriter implements Closeable {
    private static final int LEVEL = 1;

    private final DataFileWriter<Object> file;

    /**
     * Creates a writer and writes the header of the file.
     *
     * @param out closed with this
     */
    public AvroContainerWriter(AvroSchema schema, OutputStream out) throws IOException {
        Schema avro = schema.schema();
        file = new DataFileWriter<>(new GenericDatumWriter<>(avro));
        file.setCodec(CodecFactory.deflateCodec(LEVEL));
        var unused = file.create(avro, out);
    }

    /** Adds a message of the schema. */
    public void add(byte[] data, int from, int to) throws IOException {
        file.appendEncoded(ByteBuffer.wrap(data, from, to - from));
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
