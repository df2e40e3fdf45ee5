package io.thalweg.jobs.kafka.fetch;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.kafka.common.Uuid;

/**
 * The read position of a partition and the log that it refers to. The log's identity reveals if the same offset now holds another record.
 *
 * @param offset of the next record
 * @param leaderEpoch of the leader that wrote the last batch read; {@link #NO_EPOCH} if unknown
 * @param topicId changes if the topic is deleted and created again with the same name; {@link Uuid#ZERO_UUID} if unknown
 */
public record LogPosition(long offset, int leaderEpoch, Uuid topicId) {
    /** Kafka's own value for an unknown epoch. */
    public static final int NO_EPOCH = -1;

    /** Creates the position of a partition of which nothing has been read yet. */
    public static LogPosition unread(long firstOffset) {
        return new LogPosition(firstOffset, NO_EPOCH, Uuid.ZERO_UUID);
    }

    /** Returns whether nothing has been read yet, so that the log is not known. */
    public boolean isUnread() {
        return leaderEpoch == NO_EPOCH;
    }

    /** Returns a later position in the same log. */
    public LogPosition at(long nextOffset, int epoch) {
        return new LogPosition(nextOffset, epoch, topicId);
    }

    LogPosition of(Uuid topic) {
        return topic.equals(topicId) ? this : new LogPosition(offset, leaderEpoch, topic);
    }

    public void write(DataOutput out) throws IOException {
        out.writeLong(offset);
        out.writeInt(leaderEpoch);
        out.writeLong(topicId.getMostSignificantBits());
        out.writeLong(topicId.getLeastSignificantBits());
    }

    public static LogPosition read(DataInput in) throws IOException {
        return new LogPosition(in.readLong(), in.readInt(), new Uuid(in.readLong(), in.readLong()));
    }
}
