package io.thalweg.server.access;

import io.thalweg.model.problem.Problems;
import io.thalweg.model.yaml.YamlFile;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The callers of a file, specified in {@code docs/security.md}. The file contains only hashes of tokens, so reading it does not
 * reveal them.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class Callers {
    static final Callers NONE = new Callers(Map.of(), Map.of());

    private static final String HASH = "sha256:";
    /** The maximum length of a caller's name, for every form of authentication. */
    static final int NAME_MAX = 100;

    private final Map<String, Caller> byToken;
    private final Map<String, Caller> byCertificate;

    private Callers(Map<String, Caller> byToken, Map<String, Caller> byCertificate) {
        this.byToken = Map.copyOf(byToken);
        this.byCertificate = Map.copyOf(byCertificate);
    }

    /**
     * Reads a file.
     *
     * @throws io.thalweg.model.problem.DefinitionException with all that is wrong
     */
    static Callers read(Path file) {
        Problems problems = new Problems();
        String text = YamlFile.text(file, problems).orElse("");
        problems.throwIfAny();
        return parse(text, file.toString());
    }

    /**
     * Reads the text of a file.
     *
     * @throws io.thalweg.model.problem.DefinitionException with all that is wrong
     */
    public static Callers parse(String text, String file) {
        Problems problems = new Problems();
        Reading reading = new Reading();
        List<YamlValue> documents = YamlFile.documents(text, file, problems);
        documents.forEach(reading::callers);
        if (documents.isEmpty() && problems.count() == 0) {
            problems.add(file, 0, "callers", "is required; thalweg token NAME --callers " + file + " adds one");
        }
        problems.throwIfAny();
        return new Callers(reading.byToken, reading.byCertificate);
    }

    /** Returns the hash of a token, as the file contains it. */
    public static String hash(String token) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
            return HASH + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** The caller of a token; null if it is unknown. Tokens are compared by hash, so the time taken reveals nothing about them. */
    @Nullable
    Caller ofToken(String token) {
        return byToken.get(hash(token));
    }

    /** The caller of the name in a certificate that an accepted authority has signed: a reader unless the file grants more. */
    Caller ofCertificate(String name) {
        Caller caller = byCertificate.get(name);
        return caller == null ? new Caller(name, Caller.Role.READER) : caller;
    }

    private static final class Reading {
        private final Map<String, Caller> byToken = new HashMap<>();
        private final Map<String, Caller> byCertificate = new HashMap<>();
        private final Map<String, YamlValue> names = new HashMap<>();

        void callers(YamlValue document) {
            YamlMap map = document.map();
            map.required("callers", "[{name: checkout, role: reader, token: \"sha256:…\"}]")
                    .ifPresent(list -> list.list().forEach(this::caller));
            map.close();
        }

        private void caller(YamlValue value) {
            YamlMap map = value.map();
            String name = map.required("name", "checkout").map(this::name).orElse("");
            Caller.Role role = map.required("role", "reader")
                    .map(said -> said.oneOf(Caller.Role.class))
                    .orElse(Caller.Role.READER);
            Caller caller = new Caller(name, role);
            boolean isProven = map.has("token") || map.has("certificate");
            if (value.isMap() && !isProven) {
                value.problem("needs token, certificate or both: how the caller proves its name");
            }
            map.optional("token")
                    .ifPresent(tokens -> tokens.listOrOne().forEach(token -> add(byToken, token, hash(token), caller)));
            map.optional("certificate")
                    .ifPresent(certificates -> certificates
                            .listOrOne()
                            .forEach(certificate -> add(byCertificate, certificate, certificate.text(), caller)));
            map.close();
        }

        private String name(YamlValue value) {
            String name = value.text();
            if (value.isText() && (name.isBlank() || name.length() > NAME_MAX)) {
                value.problem("must be a text of 1 to " + NAME_MAX + " characters");
            } else if (names.put(name, value) != null) {
                value.problem("is there twice; a caller may have several tokens in one entry: token: [\"…\", \"…\"]");
            }
            return name;
        }

        /** Reports a problem without the value, which may be the token itself. */
        private static String hash(YamlValue value) {
            String hash = value.text();
            if (value.isText() && !hash.matches(HASH + "[0-9a-f]{64}")) {
                value.problem("must be sha256: and 64 hex digits, the hash of a token; thalweg token makes both");
            }
            return hash;
        }

        private static void add(Map<String, Caller> known, YamlValue value, String proof, Caller caller) {
            Caller other = known.put(proof, caller);
            if (other != null) {
                value.problem("belongs to caller " + other.name() + " already");
            }
        }
    }
}
