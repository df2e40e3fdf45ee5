package io.thalweg.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.cli.run.RiderFeed.Counted;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Await;
import java.net.ConnectException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Compares live reads of open windows with what was sent: distinct riders of each cell or key. */
final class OpenWindows {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final int MAX_KEYS = 1_000;

    private OpenWindows() {}

    /**
     * Reads until the job answers and, if nothing is sent meanwhile, every key has as many riders as were sent.
     *
     * @param exactly whether no events are sent meanwhile
     * @param story the output of a process, shown if no answer arrives
     */
    static void await(
            ThalwegProcess server,
            RiderFeed feed,
            FeatureView view,
            boolean exactly,
            long seed,
            Supplier<List<String>> story)
            throws Exception {
        Map<Counted, Integer> counts = feed.counts(view);
        List<Counted> keys = counts.keySet().stream()
                .map(of -> new Counted(of.cell(), of.group(), 0))
                .distinct()
                .limit(MAX_KEYS)
                .toList();
        String request = "{\"read_from\":\"LIVE\",\"entities\":[%s]}"
                .formatted(keys.stream().map(key -> entity(view, key)).collect(Collectors.joining(",")));
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        String trouble = "";
        while (System.nanoTime() < deadline) {
            try {
                JsonNode answer = server.served().read(view.qualifiedName(), request);
                trouble = exactly ? difference(answer, keys, counts, view) : "";
            } catch (ConnectException | AssertionError e) {
                trouble = "no answer: " + e.getMessage();
            }
            if (trouble.isEmpty()) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
        throw new AssertionError("view %s, seed %d: %s; %s".formatted(view.name(), seed, trouble, story.get()));
    }

    private static String entity(FeatureView view, Counted key) {
        String product = "\"product\":\"" + key.group().get(0) + "\"";
        return view.isKeyed() ? "{" + product + "}" : "{\"cell\":\"%x\",%s}".formatted(key.cell(), product);
    }

    private static String difference(
            JsonNode answer, List<Counted> keys, Map<Counted, Integer> counts, FeatureView view) {
        long found = 0;
        for (int i = 0; i < keys.size(); i++) {
            JsonNode row = answer.path("rows").get(i);
            if (row.path("window_end").isNull()) {
                return "no watermark yet";
            }
            long endMs = Instant.parse(row.path("window_end").asText()).toEpochMilli();
            long pane = endMs / view.windows().every().millis() - 1;
            int expected = counts.getOrDefault(
                    new Counted(keys.get(i).cell(), keys.get(i).group(), pane), 0);
            if (row.path("values").get(0).asInt() != expected) {
                return "%s must have %d riders, was %s".formatted(keys.get(i), expected, row);
            }
            found += expected;
        }
        return found > 0 ? "" : "no key has a rider in its open window";
    }
}
