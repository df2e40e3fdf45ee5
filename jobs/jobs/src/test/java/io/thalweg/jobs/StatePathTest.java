package io.thalweg.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatePathTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    @Test
    void of_aPath_isAbsoluteAndHasNoScheme() {
        StatePath relative = StatePath.of("./target/../a b%20c");
        String absolute = Path.of("a b%20c").toAbsolutePath().toString();

        assertThat(relative.isLocal()).isTrue();
        assertThat(relative).hasToString(absolute).isEqualTo(StatePath.of("file://" + absolute));
        assertThat(relative.local()).isEqualTo(Path.of(absolute));
        assertThat(relative.uri()).isEqualTo("file:" + absolute);
        assertThat(StatePath.of(relative.toString())).isEqualTo(relative);
    }

    @Test
    void of_aUri_keepsIt() {
        StatePath path = StatePath.of("s3://bucket/check points").resolve("a/b").resolve("chk-1");

        assertThat(path.isLocal()).isFalse();
        assertThat(path).hasToString("s3://bucket/check points/a/b/chk-1");
        assertThat(path.uri()).isEqualTo(path.toString());
        assertThat(path.scheme()).isEqualTo("s3");
        assertThat(path.name()).isEqualTo("chk-1");
        assertThat(StatePath.of(path.toString())).isEqualTo(path);
        assertThatThrownBy(path::local).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void parent_ofARoot_isNull() {
        for (String root : new String[] {"/", "s3://bucket/"}) {
            StatePath path = StatePath.of(root);
            assertThat(path.parent()).isNull();
            assertThat(path.resolve("a").parent()).isEqualTo(path);
        }
    }

    @Test
    void write_twice_leavesTheLastTextAndNothingBeside() throws IOException {
        StatePath file = StatePath.of(dir).resolve("new folder/run.txt");
        assertThat(file.text()).isNull();
        assertThat(file.modifiedMs()).isZero();

        file.write("first, and longer");
        file.write("second");

        assertThat(file.text()).isEqualTo("second");
        assertThat(file.isFile()).isTrue();
        assertThat(file.modifiedMs()).isPositive();
        assertThat(Files.readString(dir.resolve("new folder/run.txt"))).isEqualTo("second");
        try (var files = Files.list(dir.resolve("new folder"))) {
            assertThat(files).hasSize(1);
        }
    }

    @Test
    void folders_listsNoFiles() throws IOException {
        StatePath folder = StatePath.of(dir);
        folder.resolve("a/file").write("");
        folder.resolve("b/file").write("");
        folder.resolve("file").write("");

        assertThat(folder.folders()).containsExactlyInAnyOrder(folder.resolve("a"), folder.resolve("b"));
        assertThat(folder.resolve("none").folders()).isEmpty();
        assertThat(folder.resolve("a").isFile()).isFalse();
    }

    @Test
    void delete_aFolder_removesAllInIt_andMayBeRepeated() throws IOException {
        StatePath folder = StatePath.of(dir).resolve("run");
        folder.resolve("job/chk-1/_metadata").write("");

        folder.delete();
        folder.delete();

        assertThat(dir).isEmptyDirectory();
    }

    @Test
    void requireFileSystem_withoutAPlugin_fails() {
        assertThatThrownBy(() -> StatePath.of("s3://bucket/folder").requireFileSystem())
                .isInstanceOf(org.apache.flink.core.fs.UnsupportedFileSystemSchemeException.class);
    }
}
