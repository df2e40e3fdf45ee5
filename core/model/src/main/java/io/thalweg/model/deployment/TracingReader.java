package io.thalweg.model.deployment;

import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** Reads {@code server.tracing}. */
final class TracingReader {
    private static final URI NO_ADDRESS = URI.create("http://localhost:4318");
    private static final String TRACES = "/v1/traces";

    private final Function<YamlValue, String> text;
    private final Function<YamlValue, Path> path;

    /**
     * Creates a reader.
     *
     * @param text substitutes variables in a value
     * @param path reads a file name
     */
    TracingReader(Function<YamlValue, String> text, Function<YamlValue, Path> path) {
        this.text = text;
        this.path = path;
    }

    TracingConfig read(YamlValue value) {
        YamlMap map = value.map();
        URI endpoint = map.required("endpoint", "\"http://localhost:4318\"")
                .map(this::endpoint)
                .orElse(NO_ADDRESS);
        TracingConfig read = new TracingConfig(
                endpoint,
                map.optional("ratio").map(TracingReader::ratio).orElse(TracingConfig.RATIO),
                map.optional("service_name").map(this::serviceName).orElse(TracingConfig.SERVICE_NAME),
                map.optional("headers").map(this::headers).orElse(Map.of()),
                map.optional("ca").map(path).orElse(null));
        map.optional("ca")
                .filter(ca -> !"https".equals(endpoint.getScheme()))
                .ifPresent(ca -> ca.problem("needs an https address in server.tracing.endpoint, was "
                        + endpoint.getScheme() + "; remove ca, or use https"));
        map.close();
        return read;
    }

    private URI endpoint(YamlValue value) {
        String given = text.apply(value);
        try {
            URI uri = new URI(given);
            boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            if (isHttp
                    && uri.getHost() != null
                    && uri.getRawUserInfo() == null
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null
                    && !uri.getRawPath().endsWith(TRACES)) {
                return uri;
            }
        } catch (URISyntaxException e) {
            // noted below
        }
        if (value.isText()) {
            value.wrong("the base address of an OTLP/HTTP receiver, without " + TRACES
                    + ", user and password, such as \"http://localhost:4318\"");
        }
        return NO_ADDRESS;
    }

    private static double ratio(YamlValue value) {
        if (value.scalar() instanceof Number number && number.doubleValue() >= 0 && number.doubleValue() <= 1) {
            return number.doubleValue();
        }
        value.wrong("a number from 0 to 1, the share of requests to trace, such as 0.01");
        return TracingConfig.RATIO;
    }

    private String serviceName(YamlValue value) {
        String name = text.apply(value);
        if (value.isText() && name.isBlank()) {
            value.problem("must not be blank; the default is " + TracingConfig.SERVICE_NAME);
        }
        return name;
    }

    private Map<String, String> headers(YamlValue value) {
        Map<String, String> headers = new LinkedHashMap<>();
        value.map().all().forEach((name, header) -> headers.put(name, header(name, header)));
        return headers;
    }

    /** Reads a header. Problems never show the value. */
    private String header(String name, YamlValue value) {
        if (!name.matches("[A-Za-z0-9!#$%&'*+.^_`|~-]+")) {
            value.problem("is not the name of an HTTP header; names are letters, digits and '-'");
        }
        if (!value.isText()) {
            value.problem("must be text; write it in quotes");
            return "";
        }
        String header = text.apply(value);
        if (!header.matches("[\\x20-\\x7e\\t]*")) {
            value.problem("must be one line of printable ASCII characters");
        }
        return header;
    }
}
