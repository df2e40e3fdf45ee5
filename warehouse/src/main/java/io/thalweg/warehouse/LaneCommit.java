package io.thalweg.warehouse;

/**
 * Rows that are durable and not yet visible.
 *
 * @param stream names the lane's stream
 * @param lastRow number of the last row of the stream that becomes visible, from 0
 */
public record LaneCommit(String stream, long lastRow) {}
