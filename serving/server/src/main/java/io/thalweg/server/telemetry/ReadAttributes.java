package io.thalweg.server.telemetry;

import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;

import io.opentelemetry.api.common.AttributeKey;

/** Attributes of spans: OpenTelemetry's semantic conventions 1.45, and our own. {@code docs/reference/tracing.md} lists them. */
final class ReadAttributes {
    static final AttributeKey<String> METHOD = stringKey("http.request.method");
    static final AttributeKey<String> ROUTE = stringKey("http.route");
    static final AttributeKey<Long> HTTP_STATUS = longKey("http.response.status_code");
    static final AttributeKey<String> URL_PATH = stringKey("url.path");
    static final AttributeKey<String> URL_SCHEME = stringKey("url.scheme");
    static final AttributeKey<String> RPC_SYSTEM = stringKey("rpc.system.name");
    static final AttributeKey<String> RPC_METHOD = stringKey("rpc.method");
    static final AttributeKey<String> RPC_STATUS = stringKey("rpc.status_code");
    static final AttributeKey<String> ERROR_TYPE = stringKey("error.type");

    static final AttributeKey<String> VIEW = stringKey("thalweg.view");
    static final AttributeKey<Long> KEYS = longKey("thalweg.keys");
    static final AttributeKey<String> READ_FROM = stringKey("thalweg.read_from");

    private ReadAttributes() {}
}
