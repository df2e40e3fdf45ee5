package io.thalweg.bench.ingest;

import com.google.api.core.ApiFuture;
import com.google.cloud.bigquery.storage.v1.AppendRowsResponse;
import java.io.IOException;

/**
 * Encodes messages as rows with another library, and sends them with the vendor's client.
 *
 * <p><b>Threads.</b> One.
 */
interface RowSender extends AutoCloseable {
    /** Adds a message; the array contains only the message. */
    void add(byte[] message) throws IOException;

    /** Sends the rows added since the last call; {@code offset} is that of the first in the stream, below 0 = none. */
    ApiFuture<AppendRowsResponse> send(long offset) throws IOException;

    @Override
    void close();
}
