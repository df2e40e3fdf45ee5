package io.thalweg.bench.harness;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * JMH benchmarks that report their figures as all other benchmarks do. Each round forks every benchmark once, so that drift of
 * the machine does not favour any of them.
 *
 * @param include a class of benchmarks, or one of its methods, as a regular expression
 * @param parameters values of its parameters; parameters that are not named take all their values
 */
public record Micro(String include, Map<String, String> parameters) {
    private static final int WARM_UP_SECONDS = 6;
    private static final int SECONDS = 5;
    private static final String BYTES = "gc.alloc.rate.norm";

    /** Measures each for {@value #SECONDS} s a round, after {@value #WARM_UP_SECONDS} s of warm-up. */
    public List<Result> measure(int rounds) {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("\\." + include)
                .mode(Mode.AverageTime)
                .forks(1)
                .warmupIterations(WARM_UP_SECONDS)
                .warmupTime(TimeValue.seconds(1))
                .measurementIterations(SECONDS)
                .measurementTime(TimeValue.seconds(1))
                .addProfiler(GCProfiler.class)
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true);
        parameters.forEach(options::param);
        List<Result> all = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            all.addAll(run(options));
        }
        if (all.isEmpty()) {
            throw new IllegalArgumentException("no micro-benchmark matches " + include);
        }
        return Result.medians(all);
    }

    private static List<Result> run(ChainedOptionsBuilder options) {
        try {
            Collection<RunResult> found = new Runner(options.build()).run();
            return found.stream().map(Micro::result).toList();
        } catch (RunnerException e) {
            throw new IllegalStateException("the micro-benchmark failed: " + e.getMessage(), e);
        }
    }

    private static Result result(RunResult run) {
        String name = run.getParams().getBenchmark();
        String variant = run.getParams().getParamsKeys().stream()
                .sorted(Comparator.naturalOrder())
                .map(key -> key + "=" + run.getParams().getParam(key))
                .collect(Collectors.joining(", "));
        Figures figures = new Figures()
                .put(
                        run.getPrimaryResult().getScoreUnit().replace("/op", "_per_call"),
                        run.getPrimaryResult().getScore());
        run.getSecondaryResults().forEach((metric, value) -> {
            if (metric.endsWith(BYTES)) {
                figures.put("allocated_bytes_per_call", value.getScore());
            }
        });
        return new Result(name.substring(name.lastIndexOf('.') + 1), variant, figures.asMap());
    }
}
