package io.thalweg.runner;

import io.thalweg.jobs.ingest.account.IngestAccount.Count;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.deployment.DeploymentConfig;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Writes the events of files to a table, from beginning to end, and prints one line of counts on stderr. An interrupted run
 * resumes at the next start, if the files are unchanged. After a finished run, the same command only reports it.
 *
 * @param resume {@code latest} or {@code none}
 * @param maxBad the share of bad events beyond which the run fails; 1 = never fails
 * @param deadLetters a file
 */
public record IngestRun(
        IngestPlan plan,
        IngestInput input,
        DeploymentConfig deploymentConfig,
        int parallelism,
        String resume,
        double maxBad,
        Path deadLetters) {
    /**
     * Runs until everything is written.
     *
     * @throws UserError if the account does not balance, or more events are bad than allowed
     */
    public void run(Console console, boolean quiet) throws IOException, InterruptedException {
        IngestTargets.require(plan, deploymentConfig);
        WritableTargets.requireFile("dead letters", deadLetters);
        JobPlan job = JobPlan.ingest(plan, input, deploymentConfig, deadLetters);
        IngestReport report = new BoundedIngest(plan, deploymentConfig, job, input.bytes(), deadLetters.toString())
                .run(parallelism, resume, console, quiet);
        console.err().println(report.line());
        report.requireBalance();
        BadShare.require(
                report.totals().get(Count.BAD),
                report.totals().get(Count.EVENTS),
                maxBad,
                "the dead letters name the reasons: " + deadLetters);
    }
}
