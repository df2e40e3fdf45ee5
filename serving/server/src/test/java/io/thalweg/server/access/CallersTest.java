package io.thalweg.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.problem.DefinitionException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallersTest {
    private static final String HASH = Callers.hash("a");
    private static final long SECOND = 1_000_000_000;

    private static Callers parse(String text) {
        return Callers.parse(text, "callers.yaml");
    }

    private static String entry(String name, String token) {
        return "callers: [{name: %s, role: reader, token: \"%s\"}]".formatted(name, Callers.hash(token));
    }

    @Test
    void hash_text_isSha256InHex() {
        assertThat(HASH).isEqualTo("sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb");
    }

    @Test
    void parse_severalProofs_allProveTheCaller() {
        Callers callers = parse("""
                callers:
                  - {name: checkout, role: reader, token: ["%s", "%s"]}
                  - {name: alice, role: operator, token: "%s", certificate: spiffe://prod/alice}
                """.formatted(HASH, Callers.hash("b"), Callers.hash("c")));

        Caller checkout = new Caller("checkout", Caller.Role.READER);
        Caller alice = new Caller("alice", Caller.Role.OPERATOR);
        assertThat(callers.ofToken("a")).isEqualTo(checkout);
        assertThat(callers.ofToken("b")).isEqualTo(checkout);
        assertThat(callers.ofToken("c")).isEqualTo(alice);
        assertThat(callers.ofCertificate("spiffe://prod/alice")).isEqualTo(alice);
        assertThat(callers.ofToken(HASH)).as("the hash is no token").isNull();
        assertThat(callers.ofToken("")).isNull();
    }

    @Test
    void ofCertificate_nameThatTheFileDoesNotHave_isAReader() {
        assertThat(Callers.NONE.ofCertificate("search")).isEqualTo(new Caller("search", Caller.Role.READER));
    }

    @Test
    void may_operator_mayReadToo() {
        assertThat(new Caller("a", Caller.Role.OPERATOR).may(Caller.Role.READER))
                .isTrue();
        assertThat(new Caller("a", Caller.Role.READER).may(Caller.Role.OPERATOR))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``|callers: is required",
                "tokens: []|tokens: is not a known key; known: callers",
                "callers: [{role: reader, token: \"HASH\"}]|callers[0].name: is required",
                "callers: [{name: a, token: \"HASH\"}]|callers[0].role: is required",
                "callers: [{name: a, role: admin, token: \"HASH\"}]|callers[0].role: must be",
                "callers: [{name: a, role: reader}]|callers[0]: needs token, certificate or both",
                "callers: [{name: \"\", role: reader, token: \"HASH\"}]|callers[0].name: must be a text of 1 to 100",
                "callers: [{name: a, role: reader, token: twg_secret}]|callers[0].token: must be sha256: and 64 hex digits",
                "callers: [{name: a, role: reader, tokens: []}]|callers[0].tokens: is not a known key",
            })
    void parse_broken_namesThePlace(String text, String problem) {
        assertThatThrownBy(() -> parse(text.replace("HASH", HASH)))
                .isInstanceOf(DefinitionException.class)
                .hasMessageContaining(problem)
                .hasMessageNotContaining("twg_secret");
    }

    @Test
    void parse_nameOrTokenTwice_isRefused() {
        assertThatThrownBy(() -> parse("""
                callers:
                  - {name: a, role: reader, token: "%s"}
                  - {name: a, role: reader, certificate: x}
                  - {name: b, role: reader, token: "%s"}
                """.formatted(HASH, HASH)))
                .hasMessageContaining("callers.yaml:3: callers[1].name: is there twice")
                .hasMessageContaining("callers.yaml:4: callers[2].token: belongs to caller a already");
    }

    @Test
    void current_fileChanges_isReadAgainAfterASecond(@TempDir Path folder) throws Exception {
        Path path = folder.resolve("callers.yaml");
        AtomicLong now = new AtomicLong();
        write(path, entry("first", "a"), 1);
        CallersFile file = new CallersFile(path, now::get);

        write(path, entry("second", "b"), 2);
        assertThat(nameOf(file, "a")).as("within the second").isEqualTo("first");
        now.addAndGet(SECOND);
        assertThat(file.current().ofToken("a")).isNull();
        assertThat(nameOf(file, "b")).isEqualTo("second");

        write(path, "callers: broken", 3);
        now.addAndGet(SECOND);
        assertThat(nameOf(file, "b")).as("while the file is broken").isEqualTo("second");
        Files.delete(path);
        now.addAndGet(SECOND);
        assertThat(nameOf(file, "b")).as("while the file is gone").isEqualTo("second");

        write(path, entry("third", "c"), 4);
        now.addAndGet(SECOND);
        assertThat(nameOf(file, "c")).isEqualTo("third");
    }

    @Test
    void current_fileWasJustWritten_isReadWhenItNoLongerChanges(@TempDir Path folder) throws Exception {
        Path path = folder.resolve("callers.yaml");
        AtomicLong now = new AtomicLong();
        write(path, entry("first", "a"), 1);
        CallersFile file = new CallersFile(path, now::get);
        long future = Instant.now().getEpochSecond() + 3_600;

        write(path, entry("half", "b"), future);
        now.addAndGet(SECOND);
        assertThat(nameOf(file, "a")).isEqualTo("first");
        write(path, entry("whole", "c"), future + 1);
        now.addAndGet(SECOND);
        assertThat(nameOf(file, "a")).isEqualTo("first");
        now.addAndGet(SECOND);
        assertThat(nameOf(file, "c")).isEqualTo("whole");
        assertThat(file.current().ofToken("a")).isNull();
    }

    private static String nameOf(CallersFile file, String token) {
        return Objects.requireNonNull(file.current().ofToken(token)).name();
    }

    /** Writes a file with its own time, because these files are written within one tick of the clock. */
    private static void write(Path path, String text, long second) throws Exception {
        Files.writeString(path, text);
        Files.setLastModifiedTime(path, FileTime.from(Instant.ofEpochSecond(second)));
    }

    @Test
    void read_noFile_isRefused(@TempDir Path folder) {
        assertThatThrownBy(() -> new CallersFile(folder.resolve("gone.yaml"), System::nanoTime))
                .isInstanceOf(DefinitionException.class)
                .hasMessageContaining("gone.yaml: cannot be read: no such file");
    }
}
