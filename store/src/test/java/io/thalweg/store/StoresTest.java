package io.thalweg.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.Progress;
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
}
