package io.thalweg.jobs.pubsub;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.warehouse.PulledMessages.Message;
import java.util.List;

/** Messages of a subscription. A message with attributes only is empty. */
record PulledRecords(String source, List<Message> messages) implements RawRecords {
    private static final long NO_POSITION = 0;

    @Override
    public int partition() {
        return NO_PARTITION;
    }

    @Override
    public int size() {
        return messages.size();
    }

    @Override
    public long bytes() {
        return messages.stream().mapToLong(message -> message.data().length).sum();
    }

    @Override
    public byte[] data(int i) {
        return messages.get(i).data();
    }

    @Override
    public int from(int i) {
        return 0;
    }

    @Override
    public int to(int i) {
        return data(i).length;
    }

    @Override
    public long position(int i) {
        return NO_POSITION;
    }

    @Override
    public String id(int i) {
        return messages.get(i).id();
    }
}
