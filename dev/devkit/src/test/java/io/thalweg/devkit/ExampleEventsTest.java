package io.thalweg.devkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Checkout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files in {@code examples/} must match the simulator's output; a failure means that one of the two has changed. */
class ExampleEventsTest {
    private static final Path EXAMPLES = Checkout.file("examples");

    @Test
    void riders_generatedAgain_equalTheFile() throws Exception {
        String events = new String(ExampleEvents.riders(), StandardCharsets.UTF_8);
        assertThat(events.lines()).hasSize(ExampleEvents.RIDERS);
        assertThat(Files.readString(EXAMPLES.resolve("rider-events.jsonl"))).isEqualTo(events);
    }

    @Test
    void drivers_generatedAgain_equalTheFile() throws Exception {
        String events = new String(ExampleEvents.drivers(), StandardCharsets.UTF_8);
        assertThat(events.lines()).hasSize(ExampleEvents.DRIVERS);
        assertThat(Files.readString(EXAMPLES.resolve("driver-events.jsonl"))).isEqualTo(events);
    }

    @Test
    void ads_generatedAgain_equalTheFile() throws Exception {
        String events = new String(ExampleEvents.ads(), StandardCharsets.UTF_8);
        assertThat(events.lines()).hasSize(ExampleEvents.ADS);
        assertThat(Files.readString(EXAMPLES.resolve("ad-events.jsonl"))).isEqualTo(events);
        assertThat(EXAMPLES.resolve("ads.csv")).hasBinaryContent(ExampleEvents.adTable());
    }

    @Test
    void orders_generatedAgain_equalTheFile() throws Exception {
        String events = new String(ExampleEvents.orders(), StandardCharsets.UTF_8);
        assertThat(events.lines()).hasSize(ExampleEvents.ORDERS);
        assertThat(Files.readString(EXAMPLES.resolve("orders.jsonl"))).isEqualTo(events);
    }

    @Test
    void meals_generatedAgain_equalTheFile() throws Exception {
        String events = new String(ExampleEvents.meals(), StandardCharsets.UTF_8);
        assertThat(events.lines()).hasSize(1 + ExampleEvents.MEALS);
        assertThat(Files.readString(EXAMPLES.resolve("orders.csv"))).isEqualTo(events);
    }

    @Test
    void main_folder_writesAllFiles(@TempDir Path folder) throws Exception {
        ExampleEvents.main(new String[] {folder.toString()});
        assertThat(folder.resolve("rider-events.jsonl")).hasBinaryContent(ExampleEvents.riders());
        assertThat(folder.resolve("driver-events.jsonl")).hasBinaryContent(ExampleEvents.drivers());
        assertThat(folder.resolve("ad-events.jsonl")).hasBinaryContent(ExampleEvents.ads());
        assertThat(folder.resolve("ads.csv")).hasBinaryContent(ExampleEvents.adTable());
        assertThat(folder.resolve("orders.jsonl")).hasBinaryContent(ExampleEvents.orders());
        assertThat(folder.resolve("orders.csv")).hasBinaryContent(ExampleEvents.meals());
    }
}
