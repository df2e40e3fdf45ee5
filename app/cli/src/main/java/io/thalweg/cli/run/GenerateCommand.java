package io.thalweg.cli.run;

import io.thalweg.cli.Config;
import io.thalweg.cli.Console;
import io.thalweg.cli.ProgressLine;
import io.thalweg.cli.Registries;
import io.thalweg.cli.UserError;
import io.thalweg.cli.ViewFiles;
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
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg generate}: generates messages for an ingest. */
@Command(
        name = "generate",
        description =
                "Writes made-up messages to a file or to the ingest's topic, in the format that it reads: the same seed, the same"
                        + " bytes.",
        footer = {
            "",
            "Examples:",
            "  thalweg generate examples/ride_events.yaml --count 1000000 --to rides.bin",
            "  thalweg generate examples/ride_events.yaml --seconds 60 --rate 5000 --corrupt 1% --to topic"
        })
public final class GenerateCommand implements Callable<Integer> {
    /** The argument that means the definition's topic. */
    private static final Path TOPIC = Path.of("topic");
    /** The argument that means the topic of the definition's subscription. */
    private static final Path PUBSUB = Path.of("pubsub");

    private static final int BUFFER_BYTES = 1 << 18;
    /** Messages between two checks of the clock. */
    private static final int STRIDE = 64;

    private final Console console;

    @Parameters(paramLabel = "SPEC", description = "A file with an ingest, or a name found in views: of thalweg.yaml.")
    private String spec = "";

    @Mixin
    private final Config config = new Config();

    @Option(
            names = "--to",
            paramLabel = "FILE|topic|pubsub",
            required = true,
            description =
                    "The file, whose name says how records are framed; or the word topic or pubsub: that of the definition.")
    private Path to = Path.of("");

    @Option(
            names = "--count",
            paramLabel = "N",
            description = "So many messages; by default 1000, or what --seconds allows.")
    private @Nullable Long count;

    @Option(names = "--seconds", paramLabel = "S", description = "For so long.")
    private @Nullable Double seconds;

    @Option(names = "--rate", paramLabel = "N", description = "At most so many messages a second.")
    private @Nullable Double rate;

    @Option(names = "--seed", paramLabel = "N", description = "Another seed, other messages. Default: 1.")
    private long seed = 1;

    @Option(names = "--size", paramLabel = "MIN..MAX", description = "Bytes of a message, instead of generate.size.")
    private @Nullable String size;

    @Option(names = "--corrupt", paramLabel = "SHARE", description = "Share of damaged messages, such as 1%%.")
    private @Nullable String corrupt;

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    public GenerateCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        requireOptions();
        ViewFiles files = config.views(console);
        Ingest ingest = files.oneIngest(spec);
        IngestPlan plan = IngestPlan.toWrite(ingest.withoutTransform(), Registries.of(files.deploymentConfig()));
        if (to.equals(TOPIC)) {
            writeTopic(ingest, plan, files.deploymentConfig());
            return 0;
        }
        if (to.equals(PUBSUB)) {
            publish(ingest, plan, files.deploymentConfig());
            return 0;
        }
        try (FinishedFile file = FinishedFile.open("--to", to)) {
            Interrupt interrupt = Interrupt.with(UserError.INTERRUPTED, () -> discard(file));
            try {
                OutputStream buffered = new BufferedOutputStream(open(file.out()), BUFFER_BYTES);
                write(
                        ingest,
                        MadeUpMessages.toFile(
                                plan, generate(ingest), seed, IngestInput.framing(ingest.input(), to), buffered));
                file.finish();
            } finally {
                interrupt.disarm();
            }
        }
        return 0;
    }

    private void discard(FinishedFile file) {
        try {
            file.close();
        } catch (IOException e) {
            console.err().println("the unfinished file beside " + to + " could not be removed: " + e.getMessage());
        }
    }

    private void requireOptions() {
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

    private void writeTopic(Ingest ingest, IngestPlan plan, DeploymentConfig deploymentConfig)
            throws IOException, InterruptedException {
        if (!(ingest.input().from() instanceof Ingest.Topic topic)) {
            throw UserError.usage(
                    "%s reads %s, not a topic"
                            .formatted(
                                    ingest.qualifiedName(),
                                    ingest.input().from().text()),
                    "name a file: --to rides.bin; a file that is called topic is ./topic");
        }
        new KafkaTopics(JobPlan.clusters(deploymentConfig)).requireTopic(topic);
        TopicRecords records = TopicRecords.open(
                topic.topic(),
                ingest.input().envelope().codecHeader(),
                JobPlan.cluster(deploymentConfig, topic.kafka()));
        write(ingest, MadeUpMessages.toRecords(plan, generate(ingest), seed, records));
    }

    private void publish(Ingest ingest, IngestPlan plan, DeploymentConfig deploymentConfig)
            throws IOException, InterruptedException {
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
            write(ingest, MadeUpMessages.toRecords(plan, generate(ingest), seed, records));
        } catch (WarehouseException e) {
            throw PubSubTargets.failed(e);
        }
    }

    private void write(Ingest ingest, MadeUpMessages messages) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        try (messages;
                ProgressLine progress = console.progress(quiet)) {
            long most = count != null ? count : seconds != null ? Long.MAX_VALUE : 1_000;
            while (messages.messages() < most) {
                if (messages.messages() % STRIDE == 0 && !goOn(messages, begun, progress, ingest)) {
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

    private OutputStream open(OutputStream file) throws IOException {
        return to.toString().endsWith(".gz") ? new GZIPOutputStream(file) : file;
    }

    /** Shows progress and limits the rate; returns false when the time is over. */
    private boolean goOn(MadeUpMessages messages, long begun, ProgressLine progress, Ingest ingest)
            throws InterruptedException {
        long elapsed = System.nanoTime() - begun;
        if (seconds != null && elapsed >= seconds * 1e9) {
            return false;
        }
        progress.show(() -> "%s: %,d messages, %,d MB"
                .formatted(ingest.qualifiedName(), messages.messages(), messages.bytes() / 1_000_000));
        if (rate != null) {
            long ahead = (long) (messages.messages() / rate * 1e9) - elapsed;
            TimeUnit.NANOSECONDS.sleep(Math.max(0, ahead));
        }
        return true;
    }

    private Generate generate(Ingest ingest) {
        Generate given = ingest.generate();
        return new Generate(
                size == null ? given.size() : range(size),
                given.nulls(),
                given.collections(),
                given.fields(),
                corrupt == null ? given.corruptShare() : BadShare.parse("--corrupt", corrupt),
                given.corruptKinds());
    }

    private static Generate.Range range(String text) {
        String[] ends = text.split("\\.\\.", -1);
        try {
            if (ends.length == 2) {
                Generate.Range range = new Generate.Range(Integer.parseInt(ends[0]), Integer.parseInt(ends[1]));
                if (range.min() >= 0 && range.min() <= range.max()) {
                    return range;
                }
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw UserError.usage("--size must be MIN..MAX, was '" + text + "'", "such as --size 800..2048");
    }
}
