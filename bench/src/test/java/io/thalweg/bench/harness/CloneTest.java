package io.thalweg.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CloneTest {
    @TempDir
    private Path folder;

    private final List<String> hooks = List.of("-c", "user.name=test", "-c", "user.email=test@example.com");

    @Test
    void commitsSince_changesElsewhere_doNotCount() throws Exception {
        Clone clone = new Clone(folder);
        git("init", "-q");
        change("kernel/src/main/A.java");
        String measured = clone.commit();
        change("docs/page.md");
        assertThat(clone.commitsSince(measured, List.of("kernel/src/main"))).hasValue(0);

        change("kernel/src/main/A.java");
        change("kernel/src/main/A.java");

        assertThat(clone.commitsSince(measured, List.of("kernel/src/main"))).hasValue(2);
    }

    @Test
    void commitsSince_withoutGitOrCommit_isUnknown() throws Exception {
        assertThat(new Clone(folder.resolve("none")).commitsSince("abcdef1", List.of("kernel")))
                .isEmpty();
        git("init", "-q");
        change("kernel/A.java");
        assertThat(new Clone(folder).commitsSince("abcdef1", List.of("kernel"))).isEmpty();
    }

    @Test
    void commit_changedCode_isDirty() throws Exception {
        Clone clone = new Clone(folder);
        git("init", "-q");
        change("kernel/A.java");
        Files.createDirectories(folder.resolve("bench/results"));
        Files.writeString(folder.resolve("bench/results/kernel.json"), "{}");
        assertThat(clone.commit()).as("a result does not change the code").matches("[0-9a-f]{7,}");

        Files.writeString(folder.resolve("kernel/B.java"), "new");

        assertThat(clone.commit()).endsWith("-dirty");
    }

    @Test
    void isShallow_cloneOfOneCommit_isTrue() throws Exception {
        git("init", "-q");
        change("kernel/A.java");
        change("kernel/A.java");
        assertThat(new Clone(folder).isShallow()).isFalse();
        Path shallow = folder.resolve("shallow");
        git("clone", "-q", "--depth", "1", folder.toUri().toString(), shallow.toString());
        assertThat(new Clone(shallow).isShallow()).isTrue();
        assertThat(new Clone(folder.resolve("none")).isShallow())
                .as("without git")
                .isTrue();
    }

    private void change(String name) throws IOException, InterruptedException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, (Files.exists(file) ? Files.readString(file) : "") + "more\n");
        git("add", ".");
        git("commit", "-q", "-m", name);
    }

    private void git(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("git", "-C", folder.toString()));
        command.addAll(hooks);
        command.addAll(List.of(words));
        Process git = new ProcessBuilder(command).inheritIO().start();
        assertThat(git.waitFor()).isZero();
    }
}
