package io.thalweg.warehouse;

/**
 * The request that a complete checkpoint makes to a warehouse.
 *
 * @param stream the name of the stream's stream
 * @param lastRow the number, from 0, of the last row of the stream that becomes visible
 * @param endsStream whether the stream is finalized instead: it receives no more rows, and no checkpoint that can be resumed has
 *     rows in it that are not visible
 */
public record StreamCommit(String stream, long lastRow, boolean endsStream) {
    /** Creates a commit that makes rows visible. */
    public StreamCommit(String stream, long lastRow) {
        this(stream, lastRow, false);
    }

    /** Returns the commit that finalizes the stream. */
    public StreamCommit ending() {
        return new StreamCommit(stream, lastRow, true);
    }
}
