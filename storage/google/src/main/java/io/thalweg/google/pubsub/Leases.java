package io.thalweg.google.pubsub;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import com.google.cloud.pubsub.v1.stub.SubscriberStub;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.Empty;
import com.google.pubsub.v1.AcknowledgeRequest;
import com.google.pubsub.v1.ModifyAckDeadlineRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The unacknowledged deliveries of a stream. Their leases are extended until the service confirms their acknowledgement; an
 * unconfirmed acknowledgement is retried.
 *
 * <p><b>Threads.</b> Safe.
 */
final class Leases {
    private static final Logger LOG = LoggerFactory.getLogger(Leases.class);

    /** A request is limited to 512 KiB, and an id takes some 200 bytes; Google's own subscriber sends as many. */
    private static final int IDS_PER_REQUEST = 1_000;

    private static final long FIRST_PAUSE_MS = 100;
    private static final long LONGEST_PAUSE_MS = 10_000;
    private static final long GIVE_UP_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long RELEASE_SECONDS = 5;

    private final String subscription;
    private final SubscriberStub stub;
    private final ScheduledExecutorService timer;
    private final int leaseSeconds;
    private final Runnable freed;

    /** The size of each delivery by its id. Guarded by this, as all fields below. */
    private final Map<String, Integer> held = new HashMap<>();

    private long bytes;
    private int unanswered;
    private long retries;

    /**
     * Creates an empty set of leases, and starts to extend them periodically.
     *
     * @param freed runs when deliveries have been acknowledged
     */
    Leases(String subscription, SubscriberStub stub, ScheduledExecutorService timer, Duration lease, Runnable freed) {
        this.subscription = subscription;
        this.stub = stub;
        this.timer = timer;
        leaseSeconds = (int) lease.toSeconds();
        this.freed = freed;
        long everyMs = lease.toMillis() / 3;
        var unused = timer.scheduleWithFixedDelay(this::extend, everyMs, everyMs, TimeUnit.MILLISECONDS);
    }

    synchronized void add(String id, int size) {
        if (held.put(id, size) == null) {
            bytes += size;
        }
    }

    synchronized long messages() {
        return held.size();
    }

    synchronized long bytes() {
        return bytes;
    }

    synchronized long retries() {
        return retries;
    }

    /** Acknowledges deliveries without waiting. */
    void acknowledge(List<String> ids) {
        for (List<String> some : requests(ids)) {
            synchronized (this) {
                unanswered++;
            }
            send(new Acknowledgement(some, System.nanoTime()), 0);
        }
    }

    private static List<List<String>> requests(List<String> ids) {
        List<List<String>> requests = new ArrayList<>();
        for (int from = 0; from < ids.size(); from += IDS_PER_REQUEST) {
            requests.add(ids.subList(from, Math.min(ids.size(), from + IDS_PER_REQUEST)));
        }
        return requests;
    }

    private record Acknowledgement(List<String> ids, long sinceNanos) {}

    private void send(Acknowledgement what, int attempt) {
        AcknowledgeRequest request = AcknowledgeRequest.newBuilder()
                .setSubscription(subscription)
                .addAllAckIds(what.ids())
                .build();
        whenAnswered(stub.acknowledgeCallable().futureCall(request), () -> ended(what), e -> failed(what, attempt, e));
    }

    private static void whenAnswered(
            ApiFuture<Empty> answer, Runnable done, java.util.function.Consumer<Throwable> failed) {
        ApiFutures.addCallback(
                answer,
                new ApiFutureCallback<>() {
                    @Override
                    public void onSuccess(Empty empty) {
                        done.run();
                    }

                    @Override
                    public void onFailure(Throwable failure) {
                        failed.accept(failure);
                    }
                },
                MoreExecutors.directExecutor());
    }

    private void failed(Acknowledgement what, int attempt, Throwable failure) {
        boolean tooLong = System.nanoTime() - what.sinceNanos() > GIVE_UP_NANOS;
        if (PubSubFailures.mayPass(failure) && !tooLong && sendLater(what, attempt + 1)) {
            return;
        }
        LOG.warn(
                "{} messages of {} are written, but could not be acknowledged; they are delivered again: {}",
                what.ids().size(),
                subscription,
                PubSubFailures.text(failure));
        ended(what);
    }

    /** Returns false if the stream is closed. */
    private boolean sendLater(Acknowledgement what, int attempt) {
        long pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS << Math.min(10, attempt - 1));
        try {
            var unused = timer.schedule(() -> send(what, attempt), pauseMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            return false;
        }
        synchronized (this) {
            retries++;
        }
        return true;
    }

    private void ended(Acknowledgement what) {
        synchronized (this) {
            for (String id : what.ids()) {
                Integer size = held.remove(id);
                bytes -= size == null ? 0 : size;
            }
            unanswered--;
            notifyAll();
        }
        freed.run();
    }

    private void extend() {
        for (List<String> some : requests(ids())) {
            whenAnswered(
                    modify(some, leaseSeconds),
                    () -> {},
                    // The next extension comes before the lease ends; the service redelivers what it refuses to extend.
                    e -> LOG.debug("Leases of {} could not be extended: {}", subscription, PubSubFailures.text(e)));
        }
    }

    private synchronized List<String> ids() {
        return List.copyOf(held.keySet());
    }

    private ApiFuture<Empty> modify(List<String> ids, int seconds) {
        return stub.modifyAckDeadlineCallable()
                .futureCall(ModifyAckDeadlineRequest.newBuilder()
                        .setSubscription(subscription)
                        .addAllAckIds(ids)
                        .setAckDeadlineSeconds(seconds)
                        .build());
    }

    /** Waits until all acknowledgements are answered, at most for the given time. */
    synchronized void awaitAnswers(Duration longest) throws InterruptedException {
        long deadline = System.nanoTime() + longest.toNanos();
        for (long left = longest.toNanos(); unanswered > 0 && left > 0; left = deadline - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    /** Returns all deliveries to the service, which redelivers them at once. */
    void release() throws InterruptedException {
        List<ApiFuture<Empty>> answers =
                requests(ids()).stream().map(ids -> modify(ids, 0)).toList();
        try {
            var unused = ApiFutures.allAsList(answers).get(RELEASE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.info("Messages of {} are delivered again only when their leases end: {}", subscription, e.toString());
        }
    }
}
