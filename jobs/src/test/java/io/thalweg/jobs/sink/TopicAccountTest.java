package io.thalweg.jobs.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TopicAccountTest {
    private final TopicAccount account = TopicAccount.of(UUID.randomUUID().toString());

    private void acknowledge(int subtask, long records) {
        account.acknowledged(subtask, new TopicCounts(records, 10 * records));
    }

    @Test
    void sinceStart_restartFromACheckpoint_countsWhatIsSentAgainOnce() {
        account.begin(0, OptionalLong.empty());
        account.begin(1, OptionalLong.empty());
        acknowledge(0, 5);
        account.checkpoint(0, 1);
        acknowledge(1, 3);
        account.checkpoint(1, 1);
        acknowledge(0, 7);

        account.begin(0, OptionalLong.of(1));
        account.begin(1, OptionalLong.of(1));

        assertThat(account.sinceStart()).isEqualTo(new TopicCounts(8, 80));
        acknowledge(0, 7);
        assertThat(account.sinceStart()).isEqualTo(new TopicCounts(15, 150));
    }

    @Test
    void sinceStart_resumedFromAnEarlierProcess_countsWhatIsNew() {
        account.begin(0, OptionalLong.of(17));
        acknowledge(0, 2);
        assertThat(account.sinceStart()).isEqualTo(new TopicCounts(2, 20));

        account.begin(0, OptionalLong.of(17));
        assertThat(account.sinceStart()).isEqualTo(new TopicCounts(0, 0));
    }

    @Test
    void sinceStart_transactions_countOnceWhenTheyAreCommitted() {
        account.begin(0, OptionalLong.empty());
        account.prepared("t-1", new TopicCounts(5, 50));
        account.prepared("t-2", new TopicCounts(4, 40));
        assertThat(account.sinceStart()).isEqualTo(new TopicCounts(0, 0));

        account.committed("t-1");
        account.committed("t-1");
        account.committed("of an earlier process");

        assertThat(account.sinceStart()).isEqualTo(new TopicCounts(5, 50));
    }

    @Test
    void sinceStart_transactionThatWasAborted_isReplacedByTheOneOfTheSameName() {
        account.begin(0, OptionalLong.empty());
        account.prepared("t-1", new TopicCounts(5, 50));
        account.begin(0, OptionalLong.empty());
        account.prepared("t-1", new TopicCounts(6, 60));
        account.committed("t-1");

        assertThat(account.sinceStart()).isEqualTo(new TopicCounts(6, 60));
    }
}
