package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.qalm.registry.RulesTree;
import io.thalweg.qalm.yaml.RulesYaml;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrefillCommandTest {
    private static final String TRACE = """
            {"data":[{"traceID":"t","processes":{"p1":{"serviceName":"web"},"p2":{"serviceName":"cart"}},"spans":[
              {"traceID":"t","spanID":"1","operationName":"page","references":[],"tags":[],"processID":"p1"},
              {"traceID":"t","spanID":"2","operationName":"/shop.Cart/Get","processID":"p2",
               "references":[{"refType":"CHILD_OF","traceID":"t","spanID":"1"}],
               "tags":[{"key":"span.kind","type":"string","value":"server"}]}]}]}
            """;

    @TempDir
    Path folder;

    private final TestConsole console = new TestConsole();

    private String dump() throws IOException {
        return Files.writeString(folder.resolve("traces.json"), TRACE).toString();
    }

    @Test
    void prefill_dump_printsATable() throws IOException {
        assertThat(console.run("qalm", "prefill", "--dump", dump(), "--quiet")).isZero();
        assertThat(console.out()).isEqualTo("""
                        service  endpoint       caller  why                            calls  level
                        cart     shop.Cart/Get  web     no sign of background traffic      1      2
                        """);
    }

    @Test
    void prefill_outFile_isARulesFileAndIsNeverOverwritten() throws IOException {
        Path out = folder.resolve("qalm.yaml");
        assertThat(console.run("qalm", "prefill", "--dump", dump(), "--out", out.toString()))
                .isZero();
        String text = Files.readString(out);
        assertThat(text)
                .startsWith("# Proposed from 1 traces. Levels 0 and 1 are never proposed")
                .contains("#   shop.Cart/Get, web: 1 calls, level 2: no sign of background traffic\n");
        assertThat(RulesTree.of(RulesYaml.parse("out", text)).toString())
                .isEqualTo("{mode=on, endpoints={shop.Cart/Get={callers={web=2}}}}");
        assertThat(console.run("qalm", "prefill", "--dump", dump(), "--out", out.toString()))
                .isEqualTo(1);
        assertThat(console.err()).contains("--out " + out + " is there already");
    }

    @Test
    void prefill_standardInputAndOutput_isAFilter() {
        assertThat(console.in(TRACE).run("qalm", "prefill", "--dump", "-", "--out", "-"))
                .isZero();
        assertThat(RulesYaml.parse("out", console.out()).endpoints()).containsKey("shop.Cart/Get");
    }

    @Test
    void prefill_wrongUse_saysWhatIsMissing() throws IOException {
        assertThat(console.run("qalm", "prefill")).isEqualTo(2);
        assertThat(console.err()).contains("name where the traces are: --jaeger URL or --dump FILE");
        assertThat(console.run("qalm")).isEqualTo(2);
        assertThat(console.run("qalm", "prefill", "--dump", dump(), "--service", "nobody"))
                .isEqualTo(1);
        assertThat(console.err()).contains("no call of an endpoint of nobody in 1 traces");
        assertThat(console.run("qalm", "prefill", "--dump", dump(), "--lookback", "soon"))
                .isEqualTo(2);
        assertThat(console.run(
                        "qalm", "prefill", "--dump", folder.resolve("none").toString()))
                .isEqualTo(1);
        assertThat(console.err()).contains("no such file");
        assertThat(console.run("qalm", "prefill", "--jaeger", "http://127.0.0.1:1"))
                .isEqualTo(1);
        assertThat(console.err()).contains("cannot reach http://127.0.0.1:1");
    }

    private void assertFails(int exit, String message, String... arguments) {
        assertThat(console.run(arguments)).as(console.err()).isEqualTo(exit);
        assertThat(console.err().lines().filter(line -> line.startsWith("thalweg: ")))
                .singleElement()
                .asString()
                .contains(message)
                .doesNotContain("Exception")
                .doesNotContain("REDACTED")
                .doesNotContain("defect");
    }

    private String file(String name, byte[] bytes) throws IOException {
        return Files.write(folder.resolve(name), bytes).toString();
    }

    @Test
    void prefill_jaegerDown_saysWhyAndWhatToCheck() {
        assertFails(
                1,
                "cannot reach http://127.0.0.1:1: the connection is refused; check that Jaeger runs",
                "qalm",
                "prefill",
                "--jaeger",
                "http://127.0.0.1:1");
    }

    @Test
    void prefill_jaegerWithoutAHost_isWrongUse() {
        assertFails(2, "--jaeger must be a URL, was 'http:///'", "qalm", "prefill", "--jaeger", "http:///");
    }

    @Test
    void prefill_dumpEndsTooEarly_namesThePlace() throws IOException {
        String dump = file("half.json", TRACE.substring(0, 100).getBytes(StandardCharsets.UTF_8));
        assertFails(1, dump + ": is not JSON at line 1, column 101; ", "qalm", "prefill", "--dump", dump);
    }

    @Test
    void prefill_dumpEmpty_saysSo() throws IOException {
        String dump = file("empty.json", new byte[0]);
        assertFails(1, dump + ": is empty; name a file", "qalm", "prefill", "--dump", dump);
    }

    @Test
    void prefill_dumpNotGzip_namesTheFile() throws IOException {
        String dump = file("plain.json.gz", TRACE.getBytes(StandardCharsets.UTF_8));
        assertFails(1, "--dump " + dump + " cannot be read: Not in GZIP format", "qalm", "prefill", "--dump", dump);
    }

    @Test
    void prefill_dumpCutShort_namesTheFile() throws IOException {
        String dump = file("cut.json.gz", new byte[] {0x1f, (byte) 0x8b, 8});
        assertFails(1, "--dump " + dump + " cannot be read: the data end too early", "qalm", "prefill", "--dump", dump);
    }

    @Test
    void prefill_dumpIsAFolder_saysSo() {
        assertFails(1, folder + ": cannot be read: Is a directory", "qalm", "prefill", "--dump", folder.toString());
    }

    @Test
    void prefill_rulesAreAFolder_namesTheOption() throws IOException {
        assertFails(
                2,
                "--rules " + folder + " cannot be read: ",
                "qalm",
                "prefill",
                "--dump",
                dump(),
                "--rules",
                folder.toString());
    }
}
