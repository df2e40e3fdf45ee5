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
     * @param id the id that the service assigned when the message was published; the same at every delivery
     * @param data the payload, which must not be modified; empty if the message has attributes only
     * @param publishedMs the publish time in epoch ms
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Message(String id, byte[] data, long publishedMs) {}

    /**
     * A handle to acknowledge delivered messages, without their contents.
     *
     * @param leases the names of the deliveries, as assigned by the service
     */
    public record Receipt(List<String> leases) {
        public Receipt {
            leases = List.copyOf(leases);
        }
    }
}
