package io.thalweg.formats.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.RideFiles;
import io.thalweg.formats.RideMessages.Encoding;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Files of each format with the same rides: a view's verdicts must equal those on the JSON lines. */
class RecordVerdictsTest {
    private static final int RIDES = 700;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    static Stream<Arguments> seedsAndEncodings() {
        return Seeds.seeds()
                .boxed()
                .flatMap(seed -> Stream.of(Encoding.values()).map(encoding -> Arguments.of(seed, encoding)));
    }

    /** Returns a verdict without the event's bytes and position, which differ between formats. */
    private static String text(EventVerdict verdict) {
        var letter = verdict.deadLetter();
        return "%s %s %x %s %x %x %x %s %s"
                .formatted(
                        verdict.outcome(),
                        verdict.eventTimeMs(),
                        verdict.cell(),
                        verdict.group(),
                        verdict.idHi(),
                        verdict.idLo(),
                        verdict.matches(),
                        Arrays.toString(verdict.inputs()),
                        letter == null ? "" : letter.reason() + " " + letter.detail());
    }

    private static List<String> verdicts(FeatureView view, Path file) throws IOException {
        List<String> verdicts = new ArrayList<>();
        BatchReader.of(List.of(view)).read(file, verdict -> verdicts.add(text(verdict)));
        return verdicts;
    }

    /** Returns the verdicts of a reader that decodes as a job does. */
    private static List<String> jobVerdicts(FeatureView view, Path file) throws IOException {
        List<String> verdicts = new ArrayList<>();
        BatchReader.ofJobs(List.of(view)).read(file, verdict -> verdicts.add(text(verdict)));
        return verdicts;
    }

    @ParameterizedTest(name = "seed={0} {1}")
    @MethodSource("seedsAndEncodings")
    void read_sameRides_sameVerdicts(long seed, Encoding encoding) throws IOException {
        List<Map<String, Object>> rides = RideFiles.rides(seed, RIDES);
        Path lines = folder.resolve("rides.jsonl");
        RideFiles.writeLines(lines, rides);
        Path framed = folder.resolve("rides.bin");
        RideFiles.writeFramed(framed, rides, encoding);
        for (String yaml : RideFiles.VIEWS) {
            List<String> expected = verdicts(RideFiles.view(yaml, "format: json", folder), lines);
            FeatureView view = RideFiles.view(yaml, encoding.keys(), folder);

            assertThat(expected).hasSize(RIDES).anyMatch(text -> text.startsWith("ACCEPTED"));
            assertThat(jobVerdicts(view, framed)).isEqualTo(expected);
            assertThat(verdicts(view, framed)).isEqualTo(expected);
            if (encoding == Encoding.AVRO) {
                Path container = folder.resolve("rides.avro");
                RideFiles.writeContainer(container, rides);
                assertThat(jobVerdicts(view, container)).isEqualTo(expected);
                assertThat(verdicts(view, container)).isEqualTo(expected);
            }
        }
    }
}
