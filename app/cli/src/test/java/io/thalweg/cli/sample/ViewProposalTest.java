package io.thalweg.cli.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.runner.UserError;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ViewProposalTest {
    @TempDir
    Path folder;

    private Path file(String name, String... lines) throws IOException {
        return Files.writeString(folder.resolve(name), String.join("\n", lines) + "\n");
    }

    private static String line(ViewProposal.Proposed proposed, String part) {
        return proposed.text()
                .lines()
                .filter(line -> line.contains(part))
                .findFirst()
                .orElse("no line has " + part);
    }

    @Test
    void of_ordersOfTheExamples_hasTheViewThatOneWouldWrite() {
        ViewProposal.Proposed proposed = ViewProposal.of(Checkout.file("examples/orders.jsonl"));

        assertThat(proposed.view().name()).isEqualTo("orders");
        assertThat(line(proposed, "event_time")).contains("{field: ts, unit: ms}", "2026-01-01T18:");
        assertThat(line(proposed, "{name: customer,")).contains("field: customer_id", "others: ", "merchant_id (");
        assertThat(proposed.view().featureNames())
                .contains("count_1h", "sum_amount_5m", "mean_amount_1h", "min_amount_5m", "distinct_merchant_id_1h");
        assertThat(proposed.summary()).startsWith("view orders: 12 features per customer, from ");
    }

    @Test
    void of_csvWithTextTimes_choosesByTheNameOfAField() throws IOException {
        Path file = file(
                "Order Events.csv",
                "delivered,created_at,user id,order_id,quantity,promo,gift",
                "2026-03-02 10:00:00,2026-03-01 10:00:00,u1,1,2,,true",
                "2026-03-02 10:00:00,2026-03-03 10:00:00,u1,2,3,SPRING,false",
                "2026-03-02 10:00:00,2026-03-02 09:58:20,u2,3,5,,true",
                "2026-03-02 10:00:00,2026-03-04 10:00:00,u2,4,1,,true");

        ViewProposal.Proposed proposed = ViewProposal.of(file);

        assertThat(line(proposed, "format:")).contains("csv");
        assertThat(line(proposed, "event_time"))
                .contains("{field: created_at, unit: iso8601, zone: UTC}", "UTC is assumed");
        assertThat(line(proposed, "max_out_of_orderness")).contains("2d", "1d1m40s behind");
        assertThat(line(proposed, "{name: user,")).contains("field: 'user id', type: string", "2 different values");
        assertThat(line(proposed, "sum: ")).contains("sum: quantity, type: int64", "1 to 5");
        assertThat(line(proposed, "windows:")).contains("sizes: [1h, 1d], every: 10m", "span 3d");
        assertThat(proposed.view().name()).isEqualTo("order_events");
    }

    @Test
    void of_nestedJsonWithMissingValues_namesPathsAndAsksWhetherTheyExist() throws IOException {
        Path file = file(
                "trips.jsonl",
                "{\"at\":1767290400,\"rider\":{\"id\":7},\"fare\":{\"total\":3.5},\"x.y\":\"a\",\"legs\":[1]}",
                "{\"at\":1767290401,\"rider\":{\"id\":7},\"fare\":null,\"x.y\":\"b\"}",
                "{\"at\":1767290402,\"rider\":{\"id\":8},\"fare\":{\"total\":-1},\"x.y\":\"a\"}",
                "{\"at\":1767290403,\"rider\":{\"id\":8},\"fare\":{\"total\":2},\"x.y\":\"a\"}");

        ViewProposal.Proposed proposed = ViewProposal.of(file);

        assertThat(line(proposed, "event_time")).contains("{field: at, unit: s}");
        assertThat(line(proposed, "{name: rider,")).contains("field: rider.id, type: int64");
        assertThat(line(proposed, "sum: "))
                .contains(
                        "{name: sum_fare_total, sum: fare.total, where: {fare.total: {exists: true}}}",
                        "missing in 1 events");
        assertThat(line(proposed, "count_distinct")).contains("count_distinct: '\"x.y\"'");
    }

    /** Text is not a number: an id of digits may begin with zeros, and a view reads text as a number only if its source says so. */
    @Test
    void of_jsonWithNumbersAsText_keepsIdsAsTextAndReadsDecimals() throws IOException {
        Path file = file(
                "payments.jsonl",
                "{\"at\":\"1767290400\",\"user_id\":\"007\",\"price\":\"11.50\",\"zip\":\"94103\",\"gift\":\"true\"}",
                "{\"at\":\"1767290401\",\"user_id\":\"007\",\"price\":\"3\",\"zip\":\"94103\",\"gift\":\"false\"}");

        ViewProposal.Proposed proposed = ViewProposal.of(file);

        assertThat(line(proposed, "numbers:")).contains("lenient", "at, price");
        assertThat(line(proposed, "event_time")).contains("{field: at, unit: s}");
        assertThat(line(proposed, "{name: user,")).contains("field: user_id, type: string", "zip (1), gift (2)");
        assertThat(line(proposed, "sum: ")).contains("{name: sum_price, sum: price}", "3 to 11.5");
    }

    @ParameterizedTest
    @CsvSource({
        "1767290399, SECONDS, 1767290399000",
        "1767290399304, MILLISECONDS, 1767290399304",
        "1767290399304000, MICROSECONDS, 1767290399304",
        "1767290399304000000, NANOSECONDS, 1767290399304",
        "2026-01-01T18:00:00Z, ISO, 1767290400000",
        "2026-01-01 18:00:00+02:00, ISO, 1767283200000",
        "2026-01-01T18:00:00.5, ISO_LOCAL, 1767290400500",
    })
    void timeUnit_ofValue_isTheOnlyOneInWhichItIsPlausible(String value, TimeUnitGuess unit, long epochMs) {
        assertThat(TimeUnitGuess.of(value)).isEqualTo(unit);
        assertThat(unit.epochMs(value)).isEqualTo(epochMs);
    }

    @ParameterizedTest
    @CsvSource({"1767290", "43.48", "0001-01-01T00:00:00Z", "noon", "99999999999999999999"})
    void timeUnit_ofAnotherValue_isNone(String value) {
        assertThat(TimeUnitGuess.of(value)).isNull();
    }

    @Test
    void of_sampleThatCannotBeUsed_saysWhyAndWhatToDo() throws IOException {
        assertUsage(file("a.csv", "user,amount", "u1,3"), "no field of", "is a time in every event", "user, amount");
        assertUsage(
                file("b.csv", "ts,amount", "2026-01-01T18:00:00Z,3.5"), "no field of", "can be a key", "ts, amount");
        assertUsage(file("c.csv", "ts,user"), "has no events");
        assertUsage(
                file("d.csv", "ts,user", "2026-01-01T18:00:00Z"), "d.csv, line 2: has 1 fields, the header names 2");
        assertUsage(file("s.csv", "ts;user", "2026-01-01T18:00:00Z;u1"), "separated by commas", "ts;user");
        assertUsage(file("e.jsonl", "{\"ts\":1}", "[1]"), "e.jsonl, line 2: an event must be a JSON object");
        assertUsage(file("f.thrift", "namespace"), "a sample must be .csv, .jsonl", ".parquet or .avro");
        assertUsage(file("f.avro", "Obj"), "cannot read", "f.avro");
        assertUsage(file("g.parquet", "PAR1"), "cannot read", "g.parquet", "is truncated");
        assertUsage(folder.resolve("none.csv"), "cannot read", "none.csv");
    }

    private static void assertUsage(Path file, String... parts) {
        assertThatThrownBy(() -> ViewProposal.of(file))
                .isInstanceOfSatisfying(
                        UserError.class, e -> assertThat(e.exitCode()).isEqualTo(UserError.USAGE))
                .hasMessageContainingAll(parts);
    }
}
