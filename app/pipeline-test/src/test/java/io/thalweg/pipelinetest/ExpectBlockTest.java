package io.thalweg.pipelinetest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.pipelinetest.PipelineTest.SourceLine;
import io.thalweg.runner.UserError;
import org.junit.jupiter.api.Test;

class ExpectBlockTest {
    private static final String BLOCK = "expect:\n  rows: []\n";

    private static String replace(String text, int line, boolean written) {
        return ExpectBlock.replace(text, new SourceLine("test.yaml", line), written, BLOCK);
    }

    @Test
    void replace_keyInTheMiddle_keepsAllElse() {
        String text = """
                # A comment
                kind: Test
                expect:   # by hand
                  rows:
                    # why
                    - {a: 1}

                  counts: {bad: 1}

                # of under
                under: [restart]
                """;

        assertThat(replace(text, 2, true)).isEqualTo("""
                # A comment
                kind: Test
                expect:
                  rows: []

                # of under
                under: [restart]
                """);
    }

    @Test
    void replace_secondDocument_leavesTheOthers() {
        String text = """
                kind: Test
                expect: {counts: {bad: 0}}
                ---
                kind: Test
                expect: {
                  counts: {bad: 1}
                }
                ---
                expect: {counts: {bad: 2}}
                """;

        assertThat(replace(text, 4, true)).isEqualTo("""
                kind: Test
                expect: {counts: {bad: 0}}
                ---
                kind: Test
                expect:
                  rows: []
                ---
                expect: {counts: {bad: 2}}
                """);
    }

    @Test
    void replace_noKey_appendsToTheDocument() {
        assertThat(replace("kind: Test\nname: a\n\n---\nkind: Test\n", 1, false))
                .isEqualTo("kind: Test\nname: a\n" + BLOCK + "\n---\nkind: Test\n");
        assertThat(replace("kind: Test", 1, false)).isEqualTo("kind: Test\n" + BLOCK);
    }

    @Test
    void replace_keyInsideALine_isRefused() {
        assertThatThrownBy(() -> replace("{kind: Test, expect: {}}\n", 1, true))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("test.yaml: cannot replace expect");
    }
}
