package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.qalm.registry.RulesTree;
import io.thalweg.qalm.yaml.RulesYaml;
import java.io.IOException;
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
}
