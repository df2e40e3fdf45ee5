package io.thalweg.records.registry;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.thalweg.records.SchemaText.Language;
import io.thalweg.records.schema.SchemaException;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A schema registry with Confluent's API, which Redpanda, Karapace and Apicurio also provide. Each call sends one request, or
 * several if a schema refers to others, and does not retry.
 *
 * <p><b>Protocol Buffers.</b> The text of such a schema is a {@code .proto} file. It is requested in its serialized form, a
 * descriptor, which needs no parser.
 *
 * <p><b>Errors.</b> {@link UnknownSchemaException} if the registry answers that it has no such schema;
 * {@link RegistryAwayException} for any other answer, and if there is no answer within 20 seconds; {@link SchemaException} for a
 * schema of another language, or one that cannot be used.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class SchemaRegistry {
    private static final Duration CONNECTED_WITHIN = Duration.ofSeconds(5);
    private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(20);
    private static final String MEDIA_TYPE = "application/vnd.schemaregistry.v1+json";
    private static final int NOT_FOUND = 404;
    /** Subject, version or schema not found. A 404 without one of these codes does not come from a registry. */
    private static final List<Long> UNKNOWN = List.of(40401L, 40402L, 40403L);

    private static final JsonFactory JSON = new JsonFactory();

    private final RegistryAddress address;
    private final HttpClient http = HttpClient.newBuilder()
            .connectTimeout(CONNECTED_WITHIN)
            .version(HttpClient.Version.HTTP_1_1)
            .build();

    public SchemaRegistry(RegistryAddress address) {
        this.address = address;
    }

    /** The address of the registry. */
    public RegistryAddress address() {
        return address;
    }

    /** Fetches the schema with an id. */
    public RegisteredSchema byId(Language language, int id) {
        String what = "schema " + id;
        RegistryResponse answer = get(what, "/schemas/ids/" + id + form(language));
        return schema(language, what, answer, id, 0);
    }

    /**
     * Fetches a schema of a subject.
     *
     * @param version 0 for the latest
     */
    public RegisteredSchema ofSubject(Language language, String subject, int version) {
        String what = version == 0 ? "subject " + subject : "version %d of subject %s".formatted(version, subject);
        RegistryResponse answer = ofSubject(language, what, subject, version);
        return schema(language, what, answer, answer.integer("id"), answer.integer("version"));
    }

    private RegistryResponse ofSubject(Language language, String what, String subject, int version) {
        return get(
                what,
                "/subjects/%s/versions/%s%s"
                        .formatted(encoded(subject), version == 0 ? "latest" : version, form(language)));
    }

    /** Fetches the version numbers of a subject. */
    public List<Integer> versions(String subject) {
        RegistryResponse answer = get("subject " + subject, "/subjects/%s/versions".formatted(encoded(subject)));
        return answer.integers();
    }

    /**
     * Registers a schema under a subject. Has no effect if it is already registered.
     *
     * @param contents as in {@link RegisteredSchema}
     * @return its id
     * @throws SchemaException if the registry refuses it, because it does not fit earlier versions
     */
    public int register(Language language, String subject, String contents) {
        return post("/subjects/%s/versions", language, subject, contents).integer("id");
    }

    /**
     * Finds the version of a subject that has a given schema.
     *
     * @param contents as in {@link RegisteredSchema}
     * @throws UnknownSchemaException if no version has it, or there is no such subject
     */
    public RegisteredSchema find(Language language, String subject, String contents) {
        RegistryResponse answer = post("/subjects/%s", language, subject, contents);
        return new RegisteredSchema(answer.integer("id"), answer.integer("version"), contents);
    }

    private RegistryResponse post(String path, Language language, String subject, String contents) {
        HttpRequest.Builder request = request(path.formatted(encoded(subject)))
                .header("Content-Type", MEDIA_TYPE)
                .POST(BodyPublishers.ofString(body(language, Contents.toRegister(language, contents))));
        return send("subject " + subject, request);
    }

    private static String body(Language language, String text) {
        StringWriter body = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(body)) {
            json.writeStartObject();
            json.writeStringField("schema", text);
            json.writeStringField("schemaType", language.name());
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return body.toString();
    }

    private static String form(Language language) {
        return language == Language.PROTOBUF ? "?format=serialized" : "";
    }

    private static String encoded(String subject) {
        return URLEncoder.encode(subject, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private RegisteredSchema schema(Language language, String what, RegistryResponse answer, int id, int version) {
        String type = answer.textOr("schemaType", Language.AVRO.name());
        if (!type.equals(language.name())) {
            throw new SchemaException("%s of %s must be of type %s, was %s".formatted(what, address, language, type));
        }
        Map<String, String> references = new LinkedHashMap<>();
        collect(language, answer, references);
        try {
            return new RegisteredSchema(id, version, Contents.complete(language, answer.text("schema"), references));
        } catch (SchemaException e) {
            throw new SchemaException("%s of %s cannot be used: %s".formatted(what, address, e.getMessage()), e);
        }
    }

    /** Collects the schemas that a schema refers to, by the name in the reference, each before those that refer to it. */
    private void collect(Language language, RegistryResponse answer, Map<String, String> references) {
        for (RegistryResponse reference : answer.elements("references")) {
            String name = reference.text("name");
            if (references.containsKey(name)) {
                continue;
            }
            String what = "version %d of subject %s".formatted(reference.integer("version"), reference.text("subject"));
            RegistryResponse referred =
                    ofSubject(language, what, reference.text("subject"), reference.integer("version"));
            collect(language, referred, references);
            references.put(name, referred.text("schema"));
        }
    }

    private RegistryResponse get(String what, String path) {
        return send(what, request(path).GET());
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address.url() + path))
                .timeout(ANSWERED_WITHIN)
                .header("Accept", MEDIA_TYPE);
        return address.authorization().isEmpty() ? request : request.header("Authorization", address.authorization());
    }

    private RegistryResponse send(String what, HttpRequest.Builder request) {
        HttpResponse<String> response;
        try {
            response = http.send(request.build(), BodyHandlers.ofString(StandardCharsets.UTF_8));
        } catch (IOException e) {
            String why = e.getMessage();
            throw new RegistryAwayException(address, why == null ? "it does not answer" : why, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RegistryAwayException(address, "the wait for it was interrupted", e);
        }
        RegistryResponse answer = RegistryResponse.of(response.body());
        if (response.statusCode() / 100 == 2 && answer != null) {
            return answer;
        }
        throw failed(what, response, answer);
    }

    private RuntimeException failed(String what, HttpResponse<String> response, @Nullable RegistryResponse answer) {
        int status = response.statusCode();
        String message = answer == null ? "" : answer.textOr("message", "");
        if (status == NOT_FOUND && answer != null && UNKNOWN.contains(answer.numberOr("error_code", 0))) {
            return new UnknownSchemaException(what + " is not in " + address);
        }
        if (status == 409 || status == 422) {
            return new SchemaException("%s refuses a schema for %s: %s".formatted(address, what, message));
        }
        return new RegistryAwayException(
                address, "it answers with status " + status + (message.isEmpty() ? "" : ": " + message));
    }
}
