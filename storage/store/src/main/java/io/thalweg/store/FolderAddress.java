package io.thalweg.store;

import java.nio.file.Path;
import java.time.Clock;

/** The embedded store in a folder, which only one process at a time can open. */
public record FolderAddress(String folder) implements StoreAddress {
    @Override
    public OnlineStore open(Clock clock) {
        return Stores.open(Path.of(folder), clock);
    }
}
