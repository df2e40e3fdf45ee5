package io.thalweg.devkit;

/** Receives simulated events, one per call, in the order of their arrival. */
@FunctionalInterface
public interface EventSink {
    /**
     * Takes one event.
     *
     * @param eventTimeMs when it happened, epoch milliseconds
     * @param id the rider's or driver's UUID as text, UTF-8; the receiver may keep it
     * @param json the event, UTF-8, without a line end; the receiver may keep it
     */
    void event(long eventTimeMs, byte[] id, byte[] json);
}
