package io.thalweg.jobs.lane;

import io.thalweg.warehouse.LaneCommit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Streams that get no more rows: of lanes that were removed, and of the run before. A stream is given up when no checkpoint that can be
 * resumed may commit rows of it any more, because a commit fails on a stream that was given up, even one that was done before.
 *
 * <p><b>When.</b> Only checkpoints up to the stream's last one commit rows of it. After those, this subtask must have committed rows with
 * {@value #LATER} checkpoints; the next one that commits rows gives the stream up when it is complete. A checkpoint that still names the
 * stream is then older than rows that are visible, so that it must not be resumed in any case. A job without rows gives nothing up.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class EndedStreams {
    /** More than a job retains, which is two. */
    static final int LATER = 3;

    private final List<Ended> streams = new ArrayList<>();

    private static final class Ended {
        private final LaneCommit last;
        /** Checkpoints since then that committed rows. */
        private int later;

        Ended(LaneCommit last) {
            this.last = last;
        }
    }

    /** Takes the last commit of a stream, which the checkpoint under way, or the one that was restored, has. */
    void add(LaneCommit last) {
        streams.add(new Ended(last));
    }

    /** Counts a checkpoint that commits rows, and returns the commits that give streams up. */
    List<LaneCommit> next() {
        List<LaneCommit> now = new ArrayList<>();
        for (Iterator<Ended> each = streams.iterator(); each.hasNext(); ) {
            Ended stream = each.next();
            if (++stream.later > LATER) {
                now.add(stream.last.ending());
                each.remove();
            }
        }
        return now;
    }

    /** The last commits of the streams that were not given up yet. */
    List<LaneCommit> ends() {
        return streams.stream().map(stream -> stream.last).toList();
    }
}
