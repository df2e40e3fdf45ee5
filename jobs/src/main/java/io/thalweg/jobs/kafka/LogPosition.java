package io.thalweg.jobs.kafka;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.kafka.common.Uuid;

/**
 * How far a partition is read, and in which log: by the latter is noticed that the same offset has come to mean something else.
 *
 * @param offset of the next record
 * @param leaderEpoch of the leader that took the last batch read; {@link #NO_EPOCH} if that is not known
 * @param topicId which a topic of the same name that is created again does not have; {@link Uuid#ZERO_UUID} if it is not known
 */
public record LogPosition(long offset, int leaderEpoch, Uuid topicId) {
    /** Kafka's own value for an unknown epoch. */
    static final int NO_EPOCH = -1;

    /** Where nothing has been read yet. */
    public static LogPosition unread(long firstOffset) {
        return new LogPosition(firstOffset, NO_EPOCH, Uuid.ZERO_UUID);
    }

    /** Whether nothing has been read yet, so that the log is not known. */
    boolean isUnread() {
        return leaderEpoch == NO_EPOCH;
    }

    /** Further on in the same log. */
    LogPosition at(long nextOffset, int epoch) {
        return new LogPosition(nextOffset, epoch, topicId);
    }

    LogPosition of(Uuid topic) {
        return topic.equals(topicId) ? this : new LogPosition(offset, leaderEpoch, topic);
    }

    void write(DataOutput out) throws IOException {
        out.writeLong(offset);
        out.writeInt(leaderEpoch);
        out.writeLong(topicId.getMostSignificantBits());
        out.writeLong(topicId.getLeastSignificantBits());
    }

    static LogPosition read(DataInput in) throws IOException {
        return new LogPosition(in.readLong(), in.readInt(), new Uuid(in.readLong(), in.readLong()));
    }
}
