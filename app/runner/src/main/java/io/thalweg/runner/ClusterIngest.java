package io.thalweg.runner;

import io.thalweg.jobs.SavedState;
import io.thalweg.jobs.StatePath;
import io.thalweg.jobs.deadletters.SubtaskDeadLetters;
import io.thalweg.jobs.ingest.SavedAccount;
import io.thalweg.jobs.ingest.account.IngestAccount.Count;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The account of an ingest on a Flink cluster. Its tasks count in other processes, some of which may have ended, so the account is
 * read from the checkpoints that the cluster and this process share.
 *
 * @param end when to stop the ingest; null = when the user stops it
 */
public record ClusterIngest(
        IngestPlan plan,
        DeploymentConfig deploymentConfig,
        @Nullable End end) implements ClusterRun.Follower {
    /** The condition under which a run with {@code --once} is done. */
    public sealed interface End {}

    /**
     * A topic was read up to these offsets.
     *
     * @param ends the offset of the last record to ingest, by partition
     */
    public record Passed(Map<Integer, Long> ends) implements End {}

    /**
     * A subscription has not delivered anything for some time.
     *
     * @param idle the time without a delivery
     */
    public record Quiet(Duration idle) implements End {}

    @Override
    public String line(RunFolder run) throws IOException {
        SavedAccount account = sinceStart(run);
        return String.format(
                Locale.ROOT,
                ", %,d events and %,d bad until then",
                account.totals().get(Count.EVENTS),
                account.totals().get(Count.BAD));
    }

    @Override
    public boolean isDone(RunFolder run) throws IOException {
        if (end instanceof Passed passed) {
            return newest(run).hasPassed(passed.ends());
        }
        return end instanceof Quiet quiet && quietInThisRun(run).compareTo(quiet.idle()) >= 0;
    }

    /** Ignores the checkpoint that the run resumed from: it records how quiet the subscription was in an earlier run. */
    private Duration quietInThisRun(RunFolder run) throws IOException {
        return account(run.newest()).quiet();
    }

    @Override
    public void report(RunFolder run, Console console) throws IOException {
        SavedAccount account = sinceStart(run);
        String ingest = plan.ingest().qualifiedName();
        IngestReport report = new IngestReport(
                ingest,
                plan.ingest().transform() != null,
                account.totals(),
                IngestTargets.written(
                        plan, deploymentConfig, JobPlan.runName(ingest, run.id()), account.streams(), account.topic()),
                seconds(run),
                isOfSubscription()
                        ? letters(plan.ingest()).pattern()
                        : "topic " + plan.ingest().deadLetters().topic());
        console.err().println(report.line());
        report.requireBalance();
    }

    /** Returns what the run had done at its newest checkpoint. */
    private SavedAccount sinceStart(RunFolder run) throws IOException {
        return newest(run).since(account(run.begunFrom()));
    }

    private SavedAccount newest(RunFolder run) throws IOException {
        StatePath checkpoint = run.newest();
        return account(checkpoint == null ? run.begunFrom() : checkpoint);
    }

    private SavedAccount account(@Nullable StatePath checkpoint) throws IOException {
        return checkpoint == null ? SavedAccount.NONE : SavedAccount.of(SavedState.of(checkpoint), plan.ingest());
    }

    /** Returns the time from the submission to the newest checkpoint. */
    private static double seconds(RunFolder run) throws IOException {
        StatePath checkpoint = run.newest();
        if (checkpoint == null) {
            return 0;
        }
        long endMs = checkpoint.resolve(SavedState.METADATA).modifiedMs();
        return Math.max(0.1, (endMs - run.startedMs()) / 1e3);
    }

    private boolean isOfSubscription() {
        return plan.ingest().input().from() instanceof Ingest.PubSub;
    }

    /** Returns the files that bad messages of a subscription go to. */
    public static SubtaskDeadLetters letters(Ingest ingest) {
        return new SubtaskDeadLetters(
                Path.of(ingest.deadLetters().file()).toAbsolutePath().toString());
    }

    /**
     * Requires options that work with a cluster.
     *
     * @throws UserError if one does not
     */
    public static void require(@Nullable Path deadLetters, @Nullable Integer port) {
        if (deadLetters != null) {
            throw UserError.usage(
                    "--dead-letters does not go with a Flink cluster: its machines would each write a file of their own",
                    "leave it out: dead letters go where dead_letters says");
        }
        if (port != null) {
            throw UserError.usage(
                    "--port does not go with a Flink cluster: the job counts there",
                    "leave it out, and let Flink report its metrics (thalweg.ingest.*)");
        }
    }
}
