package io.thalweg.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.SchemaText.Language;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.thrift.Protocol;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the text of schemas. The tests of reading views cover descriptor sets. */
class SchemaTextTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private Path write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    @Test
    void read_thriftWithIncludes_holdsThemAll() throws IOException {
        Path main = write("main.thrift", "include \"lib/outer.thrift\"\nstruct Main { 1: outer.Outer o }\n");
        Path outer = write("lib/outer.thrift", "include \"inner.thrift\"\nstruct Outer { 1: inner.Inner i }\n");
        Path inner = write("lib/inner.thrift", "// caf\u00e9\nstruct Inner { 1: i64 x }\n");
        write("lib/unused.thrift", "struct Unused { 1: i64 x }\n");

        SchemaText text = SchemaText.read(Language.THRIFT, main, "Main", Protocol.COMPACT);
        RecordFormat before = text.format();
        for (Path file : new Path[] {main, outer, inner}) {
            Files.delete(file);
        }

        assertThat(text.files()).containsOnlyKeys(main.toString(), outer.toString(), inner.toString());
        assertThat(text.format().struct()).isEqualTo(before.struct());
    }

    @Test
    void format_utf8_isKept() throws IOException {
        Path file = write("e.avsc", """
                {"type": "record", "name": "E", "fields": [
                  {"name": "k", "type": {"type": "enum", "name": "K", "symbols": ["A"], "doc": "gr\u00fcn"}}]}""");

        SchemaText text = SchemaText.read(Language.AVRO, file, null, Protocol.BINARY);

        assertThat(String.valueOf(text.format())).contains("gr\u00fcn");
    }

    @Test
    void format_notUtf8_namesTheFile() throws IOException {
        Path file = Files.write(folder.resolve("e.json"), new byte[] {'{', (byte) 0xFF, '}'});
        SchemaText text = SchemaText.read(Language.JSON, file, null, Protocol.BINARY);

        assertThatThrownBy(text::format)
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("e.json")
                .hasMessageContaining("UTF-8");
    }

    @Test
    void read_missingFile_namesIt() {
        for (Language language : Language.values()) {
            assertThatThrownBy(() -> SchemaText.read(language, folder.resolve("gone"), null, Protocol.BINARY))
                    .isInstanceOf(SchemaException.class)
                    .hasMessageContaining("gone");
        }
    }
}
