package io.thalweg.records;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.generate.Corruption;
import io.thalweg.records.generate.GeneratorOptions;
import io.thalweg.records.generate.MessageGenerator;
import io.thalweg.records.json.JsonSchema;
import io.thalweg.records.thrift.Protocol;
import io.thalweg.records.thrift.ThriftSchema;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Selection.Column;
import io.thalweg.records.translate.Translation;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages of a schema with more fields than the reader's schema. Other tests compare Protocol Buffers with the library. */
class UnknownFieldsTest {
    private static final int MESSAGES = 10;

    /** The formats whose messages name their fields, each with a wider and a narrower schema. */
    enum Format {
        THRIFT_BINARY,
        THRIFT_COMPACT,
        JSON;

        RecordFormat format(boolean wide) {
            if (this == JSON) {
                String more = wide ? ", \"more\": {\"type\": \"integer\"}" : "";
                return JsonSchema.parse("""
                        {"properties": {"id": {"type": "integer"}%s,
                          "rider": {"properties": {"id": {"type": "integer"}, "age": {"type": "integer"}%s}}}}
                        """.formatted(more, more), "rides.json");
            }
            String more = wide ? "7: optional i64 more" : "";
            String idl = """
                    struct Rider { 1: optional i64 id, 2: optional i64 age %s }
                    struct Ride { 1: optional i64 id, 2: optional Rider rider %s }
                    """.formatted(more, more);
            return ThriftSchema.parse("rides.thrift", file -> idl, "Ride")
                    .format(this == THRIFT_BINARY ? Protocol.BINARY : Protocol.COMPACT);
        }
    }

    private static long unknownFields(Format format, Selection selection) {
        RecordFormat wide = format.format(true);
        RecordFormat narrow = format.format(false);
        MessageGenerator messages = new MessageGenerator(
                wide.struct(), GeneratorOptions.DEFAULT.withNulls(0), Corruption.NONE, wide.writer(), 1);
        Translation translation = Translation.of(narrow.struct(), selection);
        RecordReader reader = narrow.reader(translation, Limits.DEFAULT);
        ColumnWriter rows = new ColumnWriter(translation.target());
        for (int i = 0; i < MESSAGES; i++) {
            messages.message(i);
            rows.begin();
            reader.read(messages.data(), messages.from(), messages.to(), rows);
        }
        return reader.unknownFields();
    }

    @ParameterizedTest
    @EnumSource
    void unknownFields_ofTheMessageAndAStructInIt_areCounted(Format format) {
        assertThat(unknownFields(format, Selection.ALL)).isEqualTo(2 * MESSAGES);
    }

    @ParameterizedTest
    @EnumSource
    void unknownFields_ofAStructThatIsReadTwice_countOnce(Format format) {
        Selection twice = new Selection(List.of(
                new Column("whole", List.of("rider")),
                new Column("again", List.of("rider")),
                new Column("age", List.of("rider", "age"))));
        assertThat(unknownFields(format, twice)).isEqualTo(2 * MESSAGES);
    }

    @ParameterizedTest
    @EnumSource
    void unknownFields_ofAStructThatIsNotSelected_doNotCount(Format format) {
        assertThat(unknownFields(format, new Selection(List.of(new Column("id", List.of("id"))))))
                .isEqualTo(MESSAGES);
    }
}
