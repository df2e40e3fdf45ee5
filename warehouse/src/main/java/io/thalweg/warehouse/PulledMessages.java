package io.thalweg.warehouse;

import java.util.List;

/**
 * Messages that were delivered together.
 *
 * @param receipt acknowledges all of them
 */
public record PulledMessages(List<Message> messages, Receipt receipt) {
    public PulledMessages {
        messages = List.copyOf(messages);
    }

    /**
     * A message.
     *
     * @param id that the service gave it when it was published; the same at every delivery
     * @param data not to be changed; empty if the message has attributes only
     * @param publishedMs epoch ms
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Message(String id, byte[] data, long publishedMs) {}

    /**
     * Stands for delivered messages until they are acknowledged; holds nothing of their contents.
     *
     * @param leases names of the deliveries, as the service gave them
     */
    public record Receipt(List<String> leases) {
        public Receipt {
            leases = List.copyOf(leases);
        }
    }
}
