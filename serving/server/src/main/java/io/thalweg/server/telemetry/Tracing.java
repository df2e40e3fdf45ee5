package io.thalweg.server.telemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SdkTracerProviderBuilder;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.thalweg.server.http.ServerStartException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Records spans and sends them to a collector by OTLP over HTTP, in batches and on its own threads. Spans for which the queue has
 * no room are dropped, so an unavailable collector does not slow reads down.
 *
 * <p>This is the only class that starts OpenTelemetry's SDK, and only if {@code server.tracing} is set.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class Tracing implements AutoCloseable {
    static final String SCHEMA = "https://opentelemetry.io/schemas/1.45.0";

    /** Some 16 MB: the spans of 2,500 traced reads per second in two seconds. */
    private static final int QUEUED_SPANS = 1 << 14;

    private static final int BATCH_SPANS = 1 << 10;
    private static final Duration BATCH_AGE = Duration.ofSeconds(2);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** The longest that a stop waits for the last spans to be sent. */
    private static final Duration FLUSH = Duration.ofSeconds(2);

    /**
     * Silenced, because the SDK logs each failure; {@link ReportingExporter} reports them. Held strongly, because a logger that
     * is collected loses its level.
     */
    private static final Logger SDK_LOG = Logger.getLogger("io.opentelemetry");

    private final SdkTracerProvider spans;
    private final ReportingExporter exporter;

    private Tracing(SdkTracerProvider spans, ReportingExporter exporter) {
        this.spans = spans;
        this.exporter = exporter;
    }

    /**
     * Starts to record.
     *
     * @throws ServerStartException if the file of the authorities cannot be used
     */
    public static Tracing start(io.thalweg.model.deployment.TracingConfig config, Metrics metrics) {
        SDK_LOG.setLevel(Level.OFF);
        ReportingExporter exporter = new ReportingExporter(exporter(config), config.endpoint());
        EndedSpans ended = new EndedSpans();
        metrics.counter(
                "thalweg_trace_spans_total",
                "Spans that were recorded; those not exported after some seconds are lost.",
                Metrics.labels(),
                ended::count);
        metrics.counter(
                "thalweg_trace_spans_exported_total",
                "Spans that the collector has accepted.",
                Metrics.labels(),
                exporter::exportedSpans);
        SdkTracerProviderBuilder spans = SdkTracerProvider.builder()
                .setResource(Resource.getDefault()
                        .merge(Resource.create(
                                Attributes.of(AttributeKey.stringKey("service.name"), config.serviceName()))))
                .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(config.ratio())))
                .addSpanProcessor(ended)
                .addSpanProcessor(BatchSpanProcessor.builder(exporter)
                        .setMaxQueueSize(QUEUED_SPANS)
                        .setMaxExportBatchSize(BATCH_SPANS)
                        .setScheduleDelay(BATCH_AGE)
                        .setExporterTimeout(TIMEOUT)
                        .build());
        return new Tracing(spans.build(), exporter);
    }

    private static OtlpHttpSpanExporter exporter(io.thalweg.model.deployment.TracingConfig config) {
        String base = config.endpoint().toString();
        OtlpHttpSpanExporterBuilder exporter = OtlpHttpSpanExporter.builder()
                .setServiceClassLoader(Tracing.class.getClassLoader())
                .setEndpoint((base.endsWith("/") ? base : base + "/") + "v1/traces")
                .setTimeout(TIMEOUT);
        config.headers().forEach(exporter::addHeader);
        Path ca = config.ca();
        if (ca != null) {
            try {
                exporter.setTrustedCertificates(Files.readAllBytes(ca));
            } catch (IOException | IllegalStateException e) { // IllegalStateException if they cannot be parsed
                throw new ServerStartException(
                        "server.tracing.ca must be a PEM file of certificates, was " + ca + ": " + e.getMessage(), e);
            }
        }
        return exporter.build();
    }

    public Tracer tracer() {
        return spans.tracerBuilder("io.thalweg.server").setSchemaUrl(SCHEMA).build();
    }

    /** Sends the spans that have ended and waits for that for at most two seconds. */
    public void flush() {
        spans.forceFlush().join(FLUSH.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Sends the remaining spans for at most two seconds; the rest is lost. */
    @Override
    public void close() {
        exporter.stopReporting();
        spans.shutdown().join(FLUSH.toMillis(), TimeUnit.MILLISECONDS);
        exporter.shutdown(); // ends an export that still retries
    }
}
