package io.thalweg.server.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.ConnectException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportingExporterTest {
    private final List<String> reports = new ArrayList<>();
    private final Link link = new Link();
    private final ReportingExporter exporter = new ReportingExporter(
            link,
            URI.create("http://127.0.0.1:4318"),
            line -> reports.add("WARN " + line),
            line -> reports.add("INFO " + line));

    private static final class Link implements SpanExporter {
        boolean broken;

        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            return broken
                    ? CompletableResultCode.ofExceptionalFailure(
                            new IllegalStateException(new ConnectException("Connection refused")))
                    : CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }

    private void export(boolean broken) {
        link.broken = broken;
        exporter.export(List.of());
    }

    @Test
    void export_failsAndRecovers_isReportedOnceEach() {
        export(false);
        export(true);
        export(true);
        export(true);
        export(false);
        export(false);

        assertThat(reports)
                .containsExactly(
                        "WARN Traces cannot be sent to http://127.0.0.1:4318 (server.tracing.endpoint) and are dropped until"
                                + " they can: Connection refused",
                        "INFO Traces are sent to http://127.0.0.1:4318 again.");
    }

    @Test
    void export_cutOffByAStop_isNotReported() {
        exporter.stopReporting();
        export(true);

        assertThat(reports).isEmpty();
    }
}
