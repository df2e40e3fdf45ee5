package io.thalweg.qalm.traces;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A span of a trace.
 *
 * @param parentId null at the root
 * @param service the service that recorded it
 * @param kind {@code server}, {@code client}, {@code internal}, …; empty if unknown
 * @param tags of the span and its process; those of the span take precedence
 */
record Span(
        String traceId,
        String spanId,
        @Nullable String parentId,
        String service,
        String name,
        String kind,
        Map<String, String> tags) {
    private static final Pattern GRPC = Pattern.compile("/?([\\w.]+/\\w+)");
    private static final Pattern NOT_FOR_USERS = Pattern.compile(
            "(.*[^a-z])?(test|tests|testing|loadtest|e2e|staging|stage|canary|batch|synthetic|cron)([^a-z].*)?");
    private static final Set<String> ENVIRONMENTS =
            Set.of("deployment.environment", "deployment.environment.name", "environment", "env");
    private static final Set<String> FLAGS = Set.of("synthetic", "synthetic_request", "test", "load_test");

    boolean isServer() {
        return kind.equals("server");
    }

    /** The endpoint: {@code package.Service/Method} or {@code GET /route}; otherwise the name of the span. */
    String endpoint() {
        String grpcService = tags.get("rpc.service");
        String grpcMethod = tags.get("rpc.method");
        if (grpcService != null && grpcMethod != null) {
            return grpcService + "/" + grpcMethod;
        }
        String method = tags.getOrDefault("http.request.method", tags.get("http.method"));
        String route = tags.get("http.route");
        if (method != null && route != null) {
            return method + " " + route;
        }
        var grpc = GRPC.matcher(name);
        return grpc.matches() ? grpc.group(1) : name;
    }

    /** The evidence that the call is not on behalf of a user; null if there is none. */
    @Nullable
    String background() {
        if (isBackground(service)) {
            return "its name";
        }
        for (Map.Entry<String, String> tag : tags.entrySet()) {
            boolean environment = ENVIRONMENTS.contains(tag.getKey()) && isBackground(tag.getValue());
            boolean flag = FLAGS.contains(tag.getKey()) && tag.getValue().equals("true");
            if (environment || flag || tag.getKey().equals("user_agent.synthetic.type")) {
                return tag.getKey() + "=" + tag.getValue();
            }
        }
        return null;
    }

    private static boolean isBackground(String word) {
        return NOT_FOR_USERS.matcher(word.toLowerCase(Locale.ROOT)).matches();
    }
}
