package io.thalweg.bench.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.List;
import org.junit.jupiter.api.Test;

class StageSharesTest {
    @Test
    void of_stacks_theInnermostStageDecides() {
        assertThat(StageShares.of(List.of(
                        "[task];java/lang/Thread.run;org/apache/kafka/clients/Poll.poll;read 10",
                        "[task];org/apache/parquet/hadoop/ParquetWriter.write;io/thalweg/bench/ingest/ThriftRides.decode;org/apache/thrift/TBinaryProtocol.readI64 20",
                        "[task];io/thalweg/bench/ingest/ThriftRides.decode;org/apache/parquet/io/MessageColumnIO.addLong 30",
                        "[task];io/thalweg/jobs/ingest/MessageLoop.process;io/thalweg/records/thrift/Reader.read 5",
                        "[C2 CompilerThread0];Compile::Optimize 35")))
                .containsExactly(
                        entry("read", 0.1), entry("translate", 0.25), entry("write", 0.3), entry("other", 0.35));
    }

    @Test
    void of_noStacks_isZero() {
        assertThat(StageShares.of(List.of())).containsEntry("write", 0.0).hasSize(4);
    }
}
