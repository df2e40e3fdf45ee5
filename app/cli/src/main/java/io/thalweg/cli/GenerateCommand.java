package io.thalweg.cli;

import io.thalweg.model.ingest.Generate;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.runner.BadShare;
import io.thalweg.runner.Console;
import io.thalweg.runner.MessageGeneration;
import io.thalweg.runner.UserError;
import io.thalweg.runner.ViewFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
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
        MessageGeneration.Limits limits = new MessageGeneration.Limits(count, seconds, rate);
        ViewFiles files = config.views(console);
        Ingest ingest = files.oneIngest(spec);
        MessageGeneration generation =
                new MessageGeneration(ingest, files.deploymentConfig(), generate(ingest), seed, limits, console, quiet);
        if (to.equals(TOPIC)) {
            generation.toTopic();
        } else if (to.equals(PUBSUB)) {
            generation.toPubSub();
        } else {
            generation.toFile(to);
        }
        return 0;
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
