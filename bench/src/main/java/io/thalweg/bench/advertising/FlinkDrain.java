package io.thalweg.bench.advertising;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.thalweg.bench.rivals.RivalFlink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/**
 * Flink: its Kafka source, a parser that reads fields only as far as they are needed, a filter, a campaign lookup in a map in
 * memory, and a count as in {@link FlinkCounts}.
 */
final class FlinkDrain {
    /** The ad of events that are not views. */
    private static final String NONE = "";

    private FlinkDrain() {}

    static void build(
            String system,
            StreamExecutionEnvironment environment,
            String bootstrap,
            String events,
            Path ads,
            String rows) {
        DataStream<String> campaigns = RivalFlink.read(environment, bootstrap, events, new Decoder(), Types.STRING)
                .filter(ad -> !ad.equals(NONE))
                .map(new CampaignOf(ads.toString()));
        RivalFlink.write(
                FlinkCounts.of(system, campaigns, Types.STRING, new Row())
                        .returns(PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO),
                bootstrap,
                rows,
                false);
    }

    /** Returns the ad of a view; the record's timestamp is the event's time. */
    private static final class Decoder extends AbstractDeserializationSchema<String> {
        private static final JsonFactory JSON = new JsonFactory();

        @Override
        public String deserialize(byte[] message) throws IOException {
            String ad = NONE;
            try (JsonParser in = JSON.createParser(message)) {
                in.nextToken();
                for (String field = in.nextFieldName(); field != null; field = in.nextFieldName()) {
                    in.nextToken();
                    if (field.equals(AdJson.AD)) {
                        ad = in.getText();
                    } else if (field.equals("event_type")) {
                        // The last field that counts; the rest is not parsed.
                        return in.getText().equals("view") ? ad : NONE;
                    }
                }
            }
            return NONE;
        }
    }

    private static final class CampaignOf extends RichMapFunction<String, String> {
        private final String file;
        private transient Map<String, String> campaignOf;

        CampaignOf(String file) {
            this.file = file;
        }

        @Override
        public void open(OpenContext context) throws IOException {
            campaignOf = new HashMap<>();
            for (String line : Files.readAllLines(Path.of(file))) {
                String[] columns = line.split(",", -1);
                campaignOf.put(columns[0], columns[1]);
            }
        }

        @Override
        public String map(String ad) {
            return Objects.requireNonNull(campaignOf.get(ad), ad);
        }
    }

    private static final class Row extends ProcessWindowFunction<Long, byte[], String, TimeWindow> {
        @Override
        public void process(String campaign, Context context, Iterable<Long> counts, Collector<byte[]> out) {
            out.collect("{\"campaign\":\"%s\",\"window_end\":\"%s\",\"features\":{\"views_10s\":%d}}"
                    .formatted(
                            campaign,
                            Instant.ofEpochMilli(context.window().getEnd()),
                            counts.iterator().next())
                    .getBytes(StandardCharsets.UTF_8));
        }
    }
}
