package io.thalweg.pipelinetest;

import io.thalweg.jobs.load.DeadLetterReason;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.SinkSpec;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import io.thalweg.pipelinetest.PipelineTest.Condition;
import io.thalweg.pipelinetest.PipelineTest.Counts;
import io.thalweg.pipelinetest.PipelineTest.ExpectedRead;
import io.thalweg.pipelinetest.PipelineTestReader.Common;
import io.thalweg.pipelinetest.PublishTest.Expected;
import io.thalweg.pipelinetest.PublishTest.Input;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reads the keys that only tests of publishing have.
 *
 * <p><b>Threads.</b> One.
 *
 * @param tests reads the keys that all tests share
 * @param recording whether tests may omit {@code expect}
 */
record PublishTestReader(PipelineTestReader tests, boolean recording) {
    /** The key that names the view. */
    static final String KEY = "publish";

    private static final String RECORDS = "records";
    private static final String EVENTS = "events";

    private static final List<String> REASONS = Stream.of(
                    DeadLetterReason.UNDECODABLE,
                    DeadLetterReason.WRONG_VIEW,
                    DeadLetterReason.WRONG_LAYOUT,
                    DeadLetterReason.INVALID_TEXT,
                    DeadLetterReason.REFUSED)
            .map(DeadLetterReason::text)
            .toList();

    /** Reads a test; if it has no view or records, returns empty. Records problems. */
    Optional<PublishTest> read(YamlMap map, Common common) {
        Optional<FeatureView> view = map.optional(KEY).flatMap(tests::view);
        view.ifPresent(each -> requireRows(each, map));
        for (Condition condition : common.under()) {
            if (condition != Condition.RESTART && condition != Condition.RESCALE) {
                map.key("under")
                        .problem("%s does not apply to tests of publish; use restart or rescale"
                                .formatted(condition.text()));
            }
        }
        if (common.explain()) {
            map.key("explain").problem("is for tests of views and ingests; remove it");
        }
        Optional<Input> input = input(map, view, common);
        Optional<YamlValue> written = tests.expect(map);
        Optional<Expected> expect = view.flatMap(each ->
                written.map(value -> expected(value, new ExpectationReader(each, common.times(), recording))));
        return view.flatMap(each -> input.map(known -> new PublishTest(
                common.name(), common.place(), each, common.date(), known, expect.orElse(null), common.under())));
    }

    private static void requireRows(FeatureView view, YamlMap map) {
        SinkSpec sink = view.sink();
        if (sink == null) {
            map.key(KEY)
                    .problem("view %s has no sink: there is no topic to publish from; add sink: {topic: %s-rows} to it"
                            .formatted(view.qualifiedName(), view.name()));
        } else if (sink.format() == SinkSpec.Format.AVRO) {
            map.key(KEY)
                    .problem("sink.format of view %s must be packed or json to be published, was avro"
                            .formatted(view.qualifiedName()));
        }
    }

    private Optional<Input> input(YamlMap map, Optional<FeatureView> view, Common common) {
        boolean listed = map.has(RECORDS);
        if (listed == map.has(EVENTS)) {
            map.self()
                    .problem(
                            "a test of publish needs either events, from which the view makes rows, or records of its topic; %s"
                                    .formatted(listed ? "remove one" : "add one"));
        }
        return listed ? records(map, view, common) : events(map, view, common);
    }

    private static Optional<Input> records(YamlMap map, Optional<FeatureView> view, Common common) {
        map.optional("defaults")
                .ifPresent(defaults -> defaults.problem("is for events, and this test has records; remove it"));
        return view.flatMap(each -> map.optional(RECORDS)
                .map(value -> new Input.Listed(new TestRecords(each, common.times()).read(value))));
    }

    private Optional<Input> events(YamlMap map, Optional<FeatureView> view, Common common) {
        return map.has(EVENTS)
                ? tests.events(map, view.orElse(null), common.times()).map(Input.OfView::new)
                : Optional.empty();
    }

    private static Expected expected(YamlValue value, ExpectationReader reader) {
        YamlMap map = value.map();
        Counts counts = map.optional("counts")
                .map(each -> new Counts(ExpectationReader.closed(each.map(), List.of("rows")), null))
                .orElse(Counts.NONE);
        Map<DeadLetterKind, Long> letters = map.optional("dead_letters")
                .map(each -> RowExpectationReader.letters(each, List.of(), REASONS))
                .orElse(null);
        List<ExpectedRead> reads = map.optional("reads").map(reader::reads).orElse(List.of());
        if (value.isMap() && !map.has("counts") && letters == null && !map.has("reads")) {
            value.wrong("reads, counts, dead_letters or several of them");
        }
        map.close();
        return new Expected(counts, letters, reads);
    }
}
