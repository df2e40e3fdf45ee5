package io.thalweg.warehouse;

/**
 * What a complete checkpoint asks of a warehouse.
 *
 * @param stream names the lane's stream
 * @param lastRow number of the last row of the stream that becomes visible, from 0
 * @param endsStream whether the stream is given up instead: it gets no more rows, and no checkpoint that can be resumed has rows in it
 *     that are not visible
 */
public record LaneCommit(String stream, long lastRow, boolean endsStream) {
    /** Makes rows visible. */
    public LaneCommit(String stream, long lastRow) {
        this(stream, lastRow, false);
    }

    /** Gives the stream up. */
    public LaneCommit ending() {
        return new LaneCommit(stream, lastRow, true);
    }
}
