package io.thalweg.jobs.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class TopicAccountTest {
    private final TopicAccount account = TopicAccount.of(UUID.randomUUID().toString());

    private static TopicTotals counts(long records) {
        return new TopicTotals(records, 10 * records);
    }

    @Test
    void sinceStart_restartFromACheckpoint_countsWhatIsSentAgainOnce() {
        account.begin(0, TopicTotals.NONE);
        account.begin(1, TopicTotals.NONE);
        account.acknowledged(0, counts(5));
        account.acknowledged(1, counts(3));
        account.acknowledged(0, counts(7));

        account.begin(0, counts(5));

        assertThat(account.sinceStart()).isEqualTo(counts(8));
        account.acknowledged(0, counts(7));
        assertThat(account.sinceStart()).isEqualTo(counts(15));
    }

    @Test
    void sinceStart_resumedFromAnEarlierProcess_countsWhatIsNew() {
        account.begin(0, counts(100));
        account.acknowledged(0, counts(2));
        assertThat(account.sinceStart()).isEqualTo(counts(2));
        assertThat(account.total()).isEqualTo(counts(102));

        account.begin(0, counts(100));
        assertThat(account.sinceStart()).isEqualTo(counts(0));
    }

    @Test
    void sinceStart_transactions_countOnceWhenTheyAreCommitted() {
        account.begin(0, TopicTotals.NONE);
        account.prepared(0, "t-1", counts(5));
        account.prepared(0, "t-2", counts(4));
        assertThat(account.sinceStart()).isEqualTo(counts(0));
        assertThat(account.totalWithOpen()).isEqualTo(counts(9));

        account.committed("t-1");
        account.committed("t-1");
        account.committed("of an earlier process");

        assertThat(account.sinceStart()).isEqualTo(counts(5));
        assertThat(account.totalWithOpen()).isEqualTo(counts(9));
    }

    /** The checkpoint counts the transaction, whose commit is repeated after the restart. */
    @Test
    void sinceStart_transactionOfTheCheckpoint_countsOnce() {
        account.begin(0, TopicTotals.NONE);
        account.begin(1, TopicTotals.NONE);
        account.prepared(0, "t-1", counts(5));
        account.prepared(1, "u-1", counts(1));
        account.begin(0, counts(5));
        account.committed("t-1");
        account.committed("u-1");

        assertThat(account.sinceStart()).isEqualTo(counts(6));
    }

    @Test
    void sinceStart_transactionThatWasAborted_isReplacedByTheOneOfTheSameName() {
        account.begin(0, TopicTotals.NONE);
        account.prepared(0, "t-1", counts(5));
        account.begin(0, TopicTotals.NONE);
        account.prepared(0, "t-1", counts(6));
        account.committed("t-1");

        assertThat(account.sinceStart()).isEqualTo(counts(6));
    }
}
