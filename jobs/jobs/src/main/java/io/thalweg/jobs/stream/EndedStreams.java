package io.thalweg.jobs.stream;

import io.thalweg.warehouse.StreamCommit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Tracks streams that receive no more rows: those of removed streams and those of the previous run. A stream is finalized only when no
 * checkpoint that can be resumed commits rows of it, because every commit on a finalized stream fails, even a repeated one.
 *
 * <p><b>When.</b> Only checkpoints up to the stream's last one commit its rows. After that, this subtask must commit rows with
 * {@value #LATER} checkpoints; the next checkpoint that commits rows finalizes the stream when it completes. By then, any checkpoint that
 * still names the stream is older than visible rows and must not be resumed anyway. A job without rows finalizes no stream.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class EndedStreams {
    /** More than the two checkpoints that a job retains. */
    static final int LATER = 3;

    private final List<Ended> streams = new ArrayList<>();

    private static final class Ended {
        private final StreamCommit last;
        /** The number of checkpoints since then that committed rows. */
        private int later;

        Ended(StreamCommit last) {
            this.last = last;
        }
    }

    /** Adds the last commit of a stream, which is part of the current checkpoint or of the restored one. */
    void add(StreamCommit last) {
        streams.add(new Ended(last));
    }

    /** Counts a checkpoint that commits rows, and returns the commits that finalize streams. */
    List<StreamCommit> next() {
        List<StreamCommit> now = new ArrayList<>();
        for (Iterator<Ended> each = streams.iterator(); each.hasNext(); ) {
            Ended stream = each.next();
            if (++stream.later > LATER) {
                now.add(stream.last.ending());
                each.remove();
            }
        }
        return now;
    }

    /** Returns the last commits of the streams that are not finalized yet. */
    List<StreamCommit> ends() {
        return streams.stream().map(stream -> stream.last).toList();
    }
}
