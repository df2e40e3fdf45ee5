package io.thalweg.jobs.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.jobs.StateVersionException;
import io.thalweg.tables.iceberg.TableCommit;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class TableCommitSerializerTest {
    private final TableCommitSerializer serializer = new TableCommitSerializer();
    private final TableCommit commit =
            new TableCommit("rides", "run", "lineage", "stamp", 7, List.of("ä".repeat(70_000), "b"));

    @Test
    void deserialize_whatWasSerialized_isEqual() throws IOException {
        assertThat(serializer.deserialize(serializer.getVersion(), serializer.serialize(commit)))
                .isEqualTo(commit);
    }

    @Test
    void deserialize_laterVersion_isRefusedWithTheRemedy() {
        assertThatThrownBy(() -> serializer.deserialize(2, serializer.serialize(commit)))
                .isInstanceOf(StateVersionException.class)
                .hasMessage("the state of commits to tables has version 2, this Thalweg reads version 1;"
                        + " start with the Thalweg that wrote it, or with --resume none");
    }
}
