package io.thalweg.runner;

import io.thalweg.jobs.CommitAccount;
import io.thalweg.jobs.ingest.target.WrittenFiles;
import io.thalweg.jobs.sink.TopicTotals;
import io.thalweg.jobs.stream.StreamTotals;

/**
 * What a run has written, counted where it was written.
 *
 * @param rows rows in the table or the topic
 * @param refused rows that the table did not take
 * @param files completed files; 0 for a warehouse or a topic
 * @param bytes bytes of files, or of encoded rows
 * @param retries requests to a warehouse that were sent again
 */
record Written(long rows, long refused, long files, long bytes, long retries) {
    static Written of(WrittenFiles files) {
        return new Written(files.rows(), 0, files.files(), files.bytes(), 0);
    }

    static Written of(CommitAccount.Sum commits) {
        return new Written(commits.rows(), 0, commits.files(), commits.bytes(), 0);
    }

    static Written of(TopicTotals topic) {
        return new Written(topic.records(), 0, 0, topic.bytes(), 0);
    }

    static Written of(StreamTotals streams) {
        return new Written(streams.written(), streams.refused(), 0, streams.bytes(), streams.retries());
    }
}
