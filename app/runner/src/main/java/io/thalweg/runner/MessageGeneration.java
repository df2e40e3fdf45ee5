package io.thalweg.runner;

import io.thalweg.google.pubsub.PubSubTopic;
import io.thalweg.jobs.ingest.message.MadeUpMessages;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Generate;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.warehouse.WarehouseException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Generates messages for an ingest, in the format that it reads: the same seed, the same bytes.
 *
 * @param generate what the messages contain
 * @param limits how many messages, and how fast
 */
public record MessageGeneration(
        Ingest ingest,
        DeploymentConfig deploymentConfig,
        Generate generate,
        long seed,
        Limits limits,
        Console console,
        boolean quiet) {
    private static final int BUFFER_BYTES = 1 << 18;
    /** Messages between two checks of the clock. */
    private static final int STRIDE = 64;

    /**
     * How many messages are generated, and how fast.
     *
     * @param count null = 1000, or as many as {@code seconds} allows
     * @param seconds null = no limit
     * @param rate messages a second; null = no limit
     */
    public record Limits(
            @Nullable Long count,
            @Nullable Double seconds,
            @Nullable Double rate) {
        /** Checks the limits; throws {@link UserError} if one is out of range. */
        public Limits {
            if (count != null && count < 0) {
                throw UserError.usage("--count must be at least 0, was " + count, "such as --count 1000000");
            }
            if (seconds != null && !(seconds > 0)) {
                throw UserError.usage("--seconds must be above 0, was " + seconds, "such as --seconds 60");
            }
            if (rate != null && !(rate > 0)) {
                throw UserError.usage("--rate must be above 0, was " + rate, "such as --rate 5000");
            }
        }
    }

    /** Writes to a file, whose name says how records are framed. */
    public void toFile(Path to) throws IOException, InterruptedException {
        IngestPlan plan = plan();
        try (FinishedFile file = FinishedFile.open("--to", to)) {
            Interrupt interrupt = Interrupt.with(UserError.INTERRUPTED, () -> discard(file, to));
            try {
                OutputStream buffered = new BufferedOutputStream(open(to, file.out()), BUFFER_BYTES);
                write(MadeUpMessages.toFile(plan, generate, seed, IngestInput.framing(ingest.input(), to), buffered));
                file.finish();
            } finally {
                interrupt.disarm();
            }
        }
    }

    private IngestPlan plan() {
        return IngestPlan.toWrite(ingest.withoutTransform(), Registries.of(deploymentConfig));
    }

    private void discard(FinishedFile file, Path to) {
        try {
            file.close();
        } catch (IOException e) {
            console.err().println("the unfinished file beside " + to + " could not be removed: " + e.getMessage());
        }
    }

    /** Writes to the topic of the ingest. */
    public void toTopic() throws IOException, InterruptedException {
        IngestPlan plan = plan();
        if (!(ingest.input().from() instanceof Ingest.Topic topic)) {
            throw UserError.usage(
                    "%s reads %s, not a topic"
                            .formatted(
                                    ingest.qualifiedName(),
                                    ingest.input().from().text()),
                    "name a file: --to rides.bin; a file that is called topic is ./topic");
        }
        new KafkaTopics(KafkaClusters.of(deploymentConfig)).requireTopic(topic);
        TopicRecords records = TopicRecords.open(
                topic.topic(),
                ingest.input().envelope().codecHeader(),
                KafkaClusters.of(deploymentConfig, topic.kafka()));
        write(MadeUpMessages.toRecords(plan, generate, seed, records));
    }

    /** Writes to the topic of the subscription of the ingest. */
    public void toPubSub() throws IOException, InterruptedException {
        IngestPlan plan = plan();
        if (!(ingest.input().from() instanceof Ingest.PubSub source)) {
            throw UserError.usage(
                    "%s reads %s, not a subscription"
                            .formatted(
                                    ingest.qualifiedName(),
                                    ingest.input().from().text()),
                    "name a file: --to rides.bin; a file that is called pubsub is ./pubsub");
        }
        try {
            PublishedRecords records =
                    new PublishedRecords(PubSubTopic.open(source.topic(), PubSubTargets.access(deploymentConfig)));
            write(MadeUpMessages.toRecords(plan, generate, seed, records));
        } catch (WarehouseException e) {
            throw PubSubTargets.failed(e);
        }
    }

    private void write(MadeUpMessages messages) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        try (messages;
                ProgressLine progress = console.progress(quiet)) {
            long most = limits.count() != null ? limits.count() : limits.seconds() != null ? Long.MAX_VALUE : 1_000;
            while (messages.messages() < most) {
                if (messages.messages() % STRIDE == 0 && !goOn(messages, begun, progress)) {
                    break;
                }
                messages.write();
            }
        }
        double took = (System.nanoTime() - begun) / 1e9;
        console.err()
                .println(String.format(
                        Locale.ROOT,
                        "%s: messages=%d bytes=%d seconds=%.1f messages_per_second=%.0f mb_per_second=%.1f seed=%d",
                        ingest.qualifiedName(),
                        messages.messages(),
                        messages.bytes(),
                        took,
                        messages.messages() / took,
                        messages.bytes() / 1e6 / took,
                        seed));
    }

    private static OutputStream open(Path to, OutputStream file) throws IOException {
        return to.toString().endsWith(".gz") ? new GZIPOutputStream(file) : file;
    }

    /** Shows progress and limits the rate; returns false when the time is over. */
    private boolean goOn(MadeUpMessages messages, long begun, ProgressLine progress) throws InterruptedException {
        long elapsed = System.nanoTime() - begun;
        if (limits.seconds() != null && elapsed >= limits.seconds() * 1e9) {
            return false;
        }
        progress.show(() -> "%s: %,d messages, %,d MB"
                .formatted(ingest.qualifiedName(), messages.messages(), messages.bytes() / 1_000_000));
        if (limits.rate() != null) {
            long ahead = (long) (messages.messages() / limits.rate() * 1e9) - elapsed;
            TimeUnit.NANOSECONDS.sleep(Math.max(0, ahead));
        }
        return true;
    }
}
