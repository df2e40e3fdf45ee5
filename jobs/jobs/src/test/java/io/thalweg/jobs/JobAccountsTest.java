package io.thalweg.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.jobs.file.FileGate;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class JobAccountsTest {
    private final String job = UUID.randomUUID().toString();

    @Test
    void get_sameTypeOfAJob_isOneObject() {
        try (JobAccounts accounts = new JobAccounts(job)) {
            CommitAccount counts = CommitAccount.of(job);

            assertThat(CommitAccount.of(job)).isSameAs(counts);
            assertThat(accounts.find(CommitAccount.class)).isSameAs(counts);
            assertThat(CommitAccount.of(job + "-other")).isNotSameAs(counts);
        } finally {
            new JobAccounts(job + "-other").close();
        }
    }

    @Test
    void find_missing_registersNothing() {
        assertThat(FileGate.of(job)).isNull();

        assertThat(JobAccounts.registered()).doesNotContain(job);
    }

    @Test
    void close_afterSeveralTypes_leavesNothingOfTheJob() {
        JobMetrics metrics = JobMetrics.of(job);
        FileGate.register(job);
        assertThat(JobAccounts.registered()).contains(job);

        new JobAccounts(job).close();

        assertThat(JobAccounts.registered()).doesNotContain(job);
        assertThat(FileGate.of(job)).isNull();
        assertThat(JobMetrics.of(job)).isNotSameAs(metrics);
        new JobAccounts(job).close();
    }
}
