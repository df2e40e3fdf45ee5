package io.thalweg.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thalweg.formats.LineReader;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.source.Source;
import io.thalweg.runner.Console;
import io.thalweg.runner.Events;
import io.thalweg.runner.FileReason;
import io.thalweg.runner.ServerClient;
import io.thalweg.runner.UserError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg get}: one read of features, as a table. */
@Command(
        name = "get",
        description = "Reads features from a server.",
        footer = {
            "",
            "Examples:",
            "  thalweg get demand --at 40.7580,-73.9855 -e product=17a2b60c-29dd-5f76-95f3-b65da5cbbdbe",
            "  thalweg get demand --keys keys.jsonl --features k0_1m,k5_8m --json",
            "  thalweg get campaign_views -e campaign=c42 --live"
        })
final class GetCommand implements Callable<Integer> {
    private static final int MAX_KEYS = 1_000;
    private static final JsonMapper JSON = new JsonMapper();

    private final Console console;

    @Parameters(paramLabel = "VIEW", description = "The view's name.")
    private String view = "";

    @Option(
            names = {"-e", "--entity"},
            paramLabel = "NAME=VALUE",
            description = "A join key, such as cell=892a1008003ffff; one for each entity of the view.")
    private Map<String, String> entities = new LinkedHashMap<>();

    @Option(names = "--at", paramLabel = "LAT,LNG", description = "The cell at a place, in degrees.")
    private @Nullable String at;

    @Option(
            names = "--keys",
            paramLabel = "FILE",
            description =
                    "Many keys, a JSON object of entities per line; - = standard input. -e and --at are added to each.")
    private @Nullable String keys;

    @Option(names = "--features", split = ",", paramLabel = "NAME", description = "Which features. Default: all.")
    private List<String> features = List.of();

    @Option(names = "--as-of", paramLabel = "TIME", description = "As they were, RFC 3339; needs online.history.")
    private @Nullable String asOf;

    @Option(names = "--json", description = "The server's answer as it is.")
    private boolean json;

    @Option(
            names = "--live",
            description = "What the running job has counted so far, in the window that is still filling.")
    private boolean live;

    @Mixin
    private ServerOptions server = new ServerOptions();

    GetCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        if (live && asOf != null) {
            throw UserError.usage("--live does not go with --as-of", "leave one out");
        }
        double @Nullable [] place = at == null ? null : place(at);
        ServerClient client = server.client(view, console.env());
        JsonNode description = client.view();
        String answer = client.read(request(description, place));
        if (json) {
            console.out().print(answer);
        } else {
            new ReadTable(ServerClient.json(answer)).print(console.out());
        }
        return 0;
    }

    private String request(JsonNode description, double @Nullable [] place) {
        ObjectNode request = JSON.createObjectNode();
        ArrayNode rows = request.putArray("entities");
        ObjectNode common = common(description, place);
        if (keys == null) {
            rows.add(common);
        } else {
            addKeys(keys, common, rows);
        }
        if (!features.isEmpty()) {
            features.forEach(request.putArray("features")::add);
        }
        if (asOf != null) {
            request.put("as_of", asOf);
        }
        if (live) {
            request.put("read_from", "LIVE");
        }
        return request.toString();
    }

    /** Returns the entities that {@code -e} and {@code --at} name. */
    private ObjectNode common(JsonNode description, double @Nullable [] place) {
        ObjectNode key = JSON.createObjectNode();
        if (place != null) {
            JsonNode cell = cellEntity(description);
            HexTiling tiling = HexTiling.of(cell.path("resolution").asInt());
            key.put(cell.path("name").asText(), Long.toHexString(tiling.cell(place[0], place[1])));
        }
        entities.forEach((name, value) -> key.set(name, typed(description, name, value)));
        return key;
    }

    private JsonNode cellEntity(JsonNode description) {
        for (JsonNode entity : description.path("entities")) {
            if (entity.path("type").asText().equals("h3")) {
                return entity;
            }
        }
        throw UserError.usage("--at needs an h3 entity, view " + view + " has none", "name its entities with -e");
    }

    private static double[] place(String text) {
        String[] parts = text.split(",", -1);
        try {
            if (parts.length == 2) {
                return place(text, Double.parseDouble(parts[0].strip()), Double.parseDouble(parts[1].strip()));
            }
        } catch (NumberFormatException e) {
            // Reported below, like any other text that is not two numbers.
        }
        throw UserError.usage(
                "--at must be latitude,longitude in degrees, was '" + text + "'", "such as --at 40.7580,-73.9855");
    }

    private static double[] place(String text, double latitude, double longitude) {
        boolean isLatitude = Math.abs(latitude) <= 90;
        if (isLatitude && Math.abs(longitude) <= 180) {
            return new double[] {latitude, longitude};
        }
        boolean looksSwapped = Math.abs(longitude) <= 90 && Math.abs(latitude) <= 180;
        String wrong = isLatitude
                ? "the longitude must be from -180 to 180, was " + longitude
                : "the latitude must be from -90 to 90, was " + latitude;
        throw UserError.usage(
                "--at must be latitude,longitude in degrees, was '" + text + "': " + wrong,
                looksSwapped
                        ? "they look swapped; write --at " + longitude + "," + latitude
                        : "such as --at 40.7580,-73.9855");
    }

    /** Returns a JSON number or boolean if the view has such an entity; everything else stays text. */
    static JsonNode typed(JsonNode description, String name, String value) {
        for (JsonNode entity : description.path("entities")) {
            String type = entity.path("type").asText();
            if (entity.path("name").asText().equals(name) && type.equals("bool") && value.matches("true|false")) {
                return JSON.getNodeFactory().booleanNode(value.equals("true"));
            }
        }
        return JSON.getNodeFactory().textNode(value);
    }

    private void addKeys(String file, ObjectNode common, ArrayNode rows) {
        try (LineReader lines = file.equals("-")
                ? LineReader.of(console.in(), file, Source.Format.JSON)
                : LineReader.open(Events.readable(file), Source.Format.JSON)) {
            while (lines.next()) {
                String line = new String(lines.bytes(), lines.offset(), lines.length(), StandardCharsets.UTF_8);
                if (rows.size() == MAX_KEYS) {
                    throw UserError.usage(file + " has more than " + MAX_KEYS + " keys", "split it");
                }
                rows.add(key(file + ":" + lines.lineNumber(), line).setAll(common));
            }
        } catch (IOException e) {
            throw UserError.usage(FileReason.of(e), "").causedBy(e);
        }
        if (rows.isEmpty()) {
            throw UserError.usage(file + " has no keys", "write a JSON object of entities per line");
        }
    }

    private static ObjectNode key(String place, String line) {
        try {
            if (JSON.readTree(line) instanceof ObjectNode key) {
                return key;
            }
        } catch (IOException e) {
            // Reported below, as JSON that is not an object.
        }
        throw UserError.usage(
                place + ": must be a JSON object of entities, was " + line, "such as {\"cell\":\"892a1008003ffff\"}");
    }
}
