package io.thalweg.jobs.compute;

import io.thalweg.api.v1.LiveKey;
import io.thalweg.api.v1.LiveRow;
import io.thalweg.jobs.block.BlockType;
import io.thalweg.jobs.block.Shards;
import io.thalweg.live.LiveClient;
import io.thalweg.live.LiveEndpoint;
import io.thalweg.live.LiveView;
import io.thalweg.testing.Await;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.mailbox.Mail;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;

/** An operator whose task runs on the test's thread, and a client that reads from it. */
final class LiveHarness<I, O> implements AutoCloseable {
    private final KeyedOneInputStreamOperatorTestHarness<Integer, I, O> harness;
    private final LiveClient client;

    /** Opens the operator, which serves live reads of the job. */
    LiveHarness(ShardWalkOperator<I, O> operator, KeySelector<I, Integer> key, BlockType<O> output, String job)
            throws Exception {
        harness = new KeyedOneInputStreamOperatorTestHarness<>(operator, key, Types.INT, Shards.COUNT, 1, 0);
        harness.setup(output.createSerializer(new SerializerConfigImpl()));
        harness.open();
        client = new LiveClient(() -> LiveEndpoint.routes(job), Await.PATIENCE);
    }

    void send(I block) throws Exception {
        harness.processElement(new StreamRecord<>(block));
    }

    void watermark(long ms) throws Exception {
        harness.processWatermark(new Watermark(ms));
        work();
    }

    /** Reads keys; this thread does the task's work until the answer arrives. */
    List<LiveRow> read(LiveView view, List<LiveKey> keys) throws Exception {
        CompletableFuture<List<LiveRow>> answer = CompletableFuture.supplyAsync(() -> client.read(view, keys));
        Await.until("the answer", () -> {
            work();
            return answer.isDone();
        });
        return answer.get();
    }

    private void work() throws Exception {
        for (Optional<Mail> mail = nextMail(); mail.isPresent(); mail = nextMail()) {
            mail.get().run();
        }
    }

    private Optional<Mail> nextMail() {
        return harness.getTaskMailbox().tryTake(0);
    }

    @Override
    public void close() {
        client.close();
        try {
            harness.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
