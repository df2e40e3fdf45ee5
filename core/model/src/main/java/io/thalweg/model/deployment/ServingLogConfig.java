package io.thalweg.model.deployment;

import io.thalweg.model.yaml.DurationText;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which answers to reads are kept.
 *
 * @param dir folder of the files
 * @param sample share of the keys and minutes whose answers are kept, above 0 to 1
 * @param maxPerSecond answers that are kept at most, for each server
 * @param views qualified names; empty = all with a feature log
 * @param keep how long files are kept, rounded up to whole days
 * @param hashSecret with which keys are replaced by hashes; null = they are kept as they are
 */
public record ServingLogConfig(
        Path dir,
        double sample,
        int maxPerSecond,
        List<String> views,
        DurationText keep,
        @Nullable String hashSecret) {
    static final double SAMPLE = 0.01;
    static final int MAX_PER_SECOND = 1_000;
    static final DurationText KEEP = DurationText.parse("7d");

    /** Spelled out because a compact constructor loses the nullness annotations in its class file. */
    public ServingLogConfig(
            Path dir,
            double sample,
            int maxPerSecond,
            List<String> views,
            DurationText keep,
            @Nullable String hashSecret) {
        this.dir = dir;
        this.sample = sample;
        this.maxPerSecond = maxPerSecond;
        this.views = List.copyOf(views);
        this.keep = keep;
        this.hashSecret = hashSecret;
    }

    /** Keeps answers in a folder, as the defaults say. */
    public static ServingLogConfig in(Path dir) {
        return new ServingLogConfig(dir, SAMPLE, MAX_PER_SECOND, List.of(), KEEP, null);
    }

    /** Returns a copy with another share. */
    public ServingLogConfig withSample(double other) {
        return new ServingLogConfig(dir, other, maxPerSecond, views, keep, hashSecret);
    }

    /** Prints no secret. */
    @Override
    public String toString() {
        return "ServingLog[dir=" + dir + ", sample=" + sample + ", maxPerSecond=" + maxPerSecond + ", views=" + views
                + ", keep=" + keep.text() + "]";
    }
}
