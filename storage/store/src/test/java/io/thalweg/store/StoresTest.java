package io.thalweg.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.row.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoresTest {
    @TempDir
    Path folder;

    @Test
    void open_samePathTwice_sharesOneStore() {
        try (OnlineStore first = Stores.open(folder.resolve("s"), Clock.systemUTC());
                OnlineStore second = Stores.open(folder.resolve("x/../s"), Clock.systemUTC())) {
            first.writeProgress(new Progress("demand", 0, 1, 60_000));
            assertThat(second.watermark("demand")).hasValue(60_000);
        }
    }

    @Test
    void close_lastUser_releasesTheFolder() {
        OnlineStore first = Stores.open(folder, Clock.systemUTC());
        OnlineStore second = Stores.open(folder, Clock.systemUTC());
        first.close();
        first.close();
        second.writeProgress(new Progress("demand", 0, 1, 60_000));
        assertThatThrownBy(first::flush).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> RocksDbOnlineStore.open(folder, Clock.systemUTC()))
                .isInstanceOf(StoreException.class);
        second.close();
        RocksDbOnlineStore.open(folder, Clock.systemUTC()).close();
    }

    @Test
    void open_afterAFailure_triesAgain() {
        RocksDbOnlineStore held = RocksDbOnlineStore.open(folder, Clock.systemUTC());
        assertThatThrownBy(() -> Stores.open(folder, Clock.systemUTC())).isInstanceOf(StoreException.class);
        held.close();
        Stores.open(folder, Clock.systemUTC()).close();
    }

    @Test
    void open_folderBelowALink_isOneStore() throws IOException {
        Path real = Files.createDirectory(folder.resolve("real"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), real);
        try (OnlineStore first = Stores.open(link.resolve("s"), Clock.systemUTC());
                OnlineStore second = Stores.open(real.resolve("s"), Clock.systemUTC())) {
            first.writeProgress(new Progress("demand", 0, 1, 60_000));
            assertThat(second.watermark("demand")).hasValue(60_000);
        }
    }

    @Test
    void open_nameOfASharedStore_joinsIt() {
        String name = "redis://localhost:6379/market";
        assertThatThrownBy(() -> Stores.open(name, Clock.systemUTC()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(name)
                .hasMessageContaining("not open");
        try (OnlineStore shared =
                        Stores.share(name, () -> RocksDbOnlineStore.open(folder.resolve("s"), Clock.systemUTC()));
                OnlineStore joined = Stores.open(name, Clock.systemUTC())) {
            shared.writeProgress(new Progress("demand", 0, 1, 60_000));
            assertThat(joined.watermark("demand")).hasValue(60_000);
        }
    }

    @Test
    void open_textOfAFolder_opensTheEmbeddedStore() {
        Path path = folder.resolve("s");
        try (OnlineStore first = Stores.open(path.toString(), Clock.systemUTC());
                OnlineStore second = Stores.open(path, Clock.systemUTC())) {
            first.writeProgress(new Progress("demand", 0, 1, 60_000));
            assertThat(second.watermark("demand")).hasValue(60_000);
        }
    }
}
