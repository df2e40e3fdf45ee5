package io.thalweg.runner;

import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.SinkSpec;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What users need to send their own events to the demo: the broker's address, what its topics contain, and lines to paste that
 * produce an event with a timestamp in city time and read its features.
 *
 * @param bootstrap the broker's address
 * @param clock the city's clock
 * @param views the views that the demo runs; the first reads riders' events
 */
record ProducerLines(String bootstrap, ClockSpec clock, List<FeatureView> views) {
    /** A place far outside the simulated city, so that its features come from pasted events only. */
    private static final String PLACE = "\"lat\":41.2,\"lng\":-73.2";

    private static final String PLACE_TO_READ = "41.2,-73.2";
    private static final String PRODUCT = "ed73ee78-4fdb-42c3-8bb4-40ccff61cb2d";
    private static final String EVENT =
            "{\"event_type\":\"request\",\"rider_id\":\"6f1ced3a-54cf-4d4a-9a0e-3f0d6a2b7c11\"," + "\"product_id\":\""
                    + PRODUCT + "\"," + PLACE + ",\"ts\":";

    /** Returns one line: the address of the broker, and what each topic contains. */
    String topics() {
        return "Kafka at %s: events in %s; rows in %s; dead letters (bad and late events) in %s"
                .formatted(
                        bootstrap,
                        views.stream()
                                .flatMap(view -> view.source().topics().stream())
                                .collect(Collectors.joining(", ")),
                        views.stream()
                                .map(FeatureView::sink)
                                .filter(sink -> sink != null)
                                .map(ProducerLines::rows)
                                .collect(Collectors.joining(", ")),
                        views.stream().map(FeatureView::deadLetterTopic).collect(Collectors.joining(", ")));
    }

    private static String rows(SinkSpec sink) {
        return "%s (%s)".formatted(sink.topic(), sink.format().name().toLowerCase(Locale.ROOT));
    }

    /** Returns the lines to paste. {@code server} is the base address of the feature server. */
    List<String> toPaste(String server) {
        FeatureView riders = views.get(0);
        return List.of(
                "send an event of your own, stamped with city time (one stamped with wall time is late):",
                "  " + kcat(riders),
                "  " + python(riders) + "   # pip install confluent-kafka",
                "and read it as soon as its minute of city time is over:",
                "  %s get %s --at %s -e product=%s --server %s"
                        .formatted(Invocation.name(), riders.qualifiedName(), PLACE_TO_READ, PRODUCT, server),
                topics());
    }

    /** Reads the clock with Perl, because {@code date} on macOS does not support milliseconds. */
    private String kcat(FeatureView riders) {
        return "perl -MTime::HiRes=time -e 'printf q(%s%%.0f}).\"\\n\", %s' | kcat -P -b %s -t %s"
                .formatted(EVENT, cityMs("time * 1000"), bootstrap, topic(riders));
    }

    private String python(FeatureView riders) {
        return ("python3 -c \"import time; from confluent_kafka import Producer; p = Producer({'bootstrap.servers': '%s'});"
                        + " p.list_topics(); p.produce('%s', '%s%%d}' %% (%s)); p.flush()\"")
                .formatted(bootstrap, topic(riders), EVENT.replace("\"", "\\\""), cityMs("time.time() * 1000"));
    }

    private static String topic(FeatureView view) {
        return view.source().topics().get(0);
    }

    /** Returns city time in epoch milliseconds, as an expression of the wall time {@code now} that is valid in both Perl and Python. */
    private String cityMs(String now) {
        return "%d + (%s - %d) * %s".formatted(clock.simAnchorMs(), now, clock.wallAnchorMs(), clock.speed());
    }
}
