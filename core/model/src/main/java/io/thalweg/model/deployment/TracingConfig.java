package io.thalweg.model.deployment;

import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the traces of reads are sent.
 *
 * @param endpoint base address of an OTLP/HTTP receiver, without {@code /v1/traces}
 * @param ratio share of the requests to trace whose caller has not decided, from 0 to 1
 * @param serviceName {@code service.name} of all spans
 * @param headers sent with every export; their values may be secrets
 * @param ca PEM file of the authorities of an https address; null = those that Java trusts
 */
public record TracingConfig(
        URI endpoint,
        double ratio,
        String serviceName,
        Map<String, String> headers,
        @Nullable Path ca) {
    static final double RATIO = 0.01;
    static final String SERVICE_NAME = "thalweg";

    /** Spelled out because a compact constructor loses the nullness annotations in its class file. */
    public TracingConfig(
            URI endpoint, double ratio, String serviceName, Map<String, String> headers, @Nullable Path ca) {
        this.endpoint = endpoint;
        this.ratio = ratio;
        this.serviceName = serviceName;
        this.headers = Map.copyOf(headers);
        this.ca = ca;
    }

    /** Prints only the names of the headers. */
    @Override
    public String toString() {
        return "Tracing[endpoint=" + endpoint + ", ratio=" + ratio + ", serviceName=" + serviceName + ", headers="
                + headers.keySet().stream().sorted().toList() + ", ca=" + ca + "]";
    }
}
