package io.thalweg.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thalweg.runner.Console;
import io.thalweg.runner.FileReason;
import io.thalweg.runner.ServerClient;
import io.thalweg.runner.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg scan}: the rows of a region, as a table. */
@Command(
        name = "scan",
        description = "Reads the rows of a region from a server.",
        footer = {
            "",
            "Examples:",
            "  thalweg scan demand --bbox=-74.05,40.68,-73.90,40.82 --features k5_8m --top 20",
            "  thalweg scan demand --disk 892a1008003ffff,5 --where product=17a2b60c-29dd-5f76-95f3-b65da5cbbdbe",
            "  thalweg scan demand --polygon manhattan.geojson --features k0_1m,k5_8m --json",
            "  thalweg scan demand --parent 852a100bfffffff --aggregate 7,mean --features k0_1m"
        })
final class ScanCommand implements Callable<Integer> {
    private static final JsonMapper JSON = new JsonMapper();

    private final Console console;

    @Parameters(paramLabel = "VIEW", description = "The view's name.")
    private String view = "";

    @Option(
            names = "--bbox",
            paramLabel = "W,S,E,N",
            description = "The cells in a box, in degrees; west above east where it crosses the antimeridian.")
    private @Nullable String bbox;

    @Option(
            names = "--polygon",
            paramLabel = "FILE",
            description = "The cells in a polygon without holes: GeoJSON, or a list of points [longitude, latitude].")
    private @Nullable Path polygon;

    @Option(names = "--disk", paramLabel = "CELL,RING", description = "The cells within a grid distance of one.")
    private @Nullable String disk;

    @Option(names = "--parent", paramLabel = "CELL", description = "The cells below a coarser one.")
    private @Nullable String parent;

    @Option(
            names = "--where",
            paramLabel = "NAME=VALUE",
            description = "A value of another entity; several of one name are all read. Default: all that have rows.")
    private List<String> where = new ArrayList<>();

    @Option(names = "--features", split = ",", paramLabel = "NAME", description = "Which features. Default: all.")
    private List<String> features = List.of();

    @Option(
            names = "--top",
            paramLabel = "N",
            description = "The rows with the greatest values of the first of --features, at most 1000.")
    private @Nullable Integer top;

    @Option(
            names = "--aggregate",
            paramLabel = "RESOLUTION,HOW",
            description = "A row for each coarser cell instead, with the mean, max or sum of its cells.")
    private @Nullable String aggregate;

    @Option(names = "--as-of", paramLabel = "TIME", description = "As they were, RFC 3339; needs online.history.")
    private @Nullable String asOf;

    @Option(names = "--json", description = "The server's answer as it is.")
    private boolean json;

    @Mixin
    private ServerOptions server = new ServerOptions();

    ScanCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        ObjectNode request = JSON.createObjectNode();
        ObjectNode region = region();
        if (region != null) {
            request.set("region", region);
        }
        if (!features.isEmpty()) {
            features.forEach(request.putArray("features")::add);
        }
        if (top != null) {
            request.putObject("top").put("n", top).put("by", ranking());
        }
        if (aggregate != null) {
            aggregate(aggregate, request.putObject("aggregate"));
        }
        if (asOf != null) {
            request.put("as_of", asOf);
        }
        ServerClient client = server.client(view, console.env());
        if (!where.isEmpty()) {
            request.set("where", wanted(client.view()));
        }
        String answer = client.scan(request.toString());
        if (json) {
            console.out().print(answer);
        } else {
            print(ServerClient.json(answer));
        }
        return 0;
    }

    private String ranking() {
        if (features.isEmpty()) {
            throw UserError.usage(
                    "--top needs --features: it ranks rows by the first", "such as --features k5_8m --top 20");
        }
        return features.get(0);
    }

    private @Nullable ObjectNode region() {
        long given = Stream.of(bbox, polygon, disk, parent)
                .filter(each -> each != null)
                .count();
        if (given > 1) {
            throw UserError.usage("--bbox, --polygon, --disk and --parent exclude each other", "leave all but one out");
        }
        if (given == 0) {
            return null;
        }
        ObjectNode region = JSON.createObjectNode();
        if (bbox != null) {
            box(bbox, region.putArray("bbox"));
        } else if (polygon != null) {
            region.set("polygon", ring(polygon));
        } else if (disk != null) {
            disk(disk, region.putObject("disk"));
        } else {
            region.put("parent", parent);
        }
        return region;
    }

    private static void box(String text, ArrayNode edges) {
        String[] parts = text.split(",", -1);
        try {
            for (String part : parts) {
                edges.add(Double.parseDouble(part.strip()));
            }
        } catch (NumberFormatException e) {
            edges.removeAll(); // Reported below, like a wrong count.
        }
        if (edges.size() != 4) {
            throw UserError.usage(
                    "--bbox must be west,south,east,north in degrees, was '" + text + "'",
                    "such as --bbox=-74.05,40.68,-73.90,40.82");
        }
    }

    private static void disk(String text, ObjectNode disk) {
        int comma = text.indexOf(',');
        String ring = text.substring(comma + 1).strip();
        if (comma < 0 || !ring.matches("\\d{1,9}")) {
            throw UserError.usage(
                    "--disk must be a cell and a distance, was '" + text + "'", "such as --disk 892a1008003ffff,5");
        }
        disk.put("cell", text.substring(0, comma).strip()).put("ring", Integer.parseInt(ring));
    }

    /** Resolutions and functions are not checked here: the server knows them. */
    private static void aggregate(String text, ObjectNode aggregate) {
        int comma = text.indexOf(',');
        String resolution = text.substring(0, Math.max(0, comma)).strip();
        if (!resolution.matches("\\d{1,9}")) {
            throw UserError.usage(
                    "--aggregate must be a resolution and mean, max or sum, was '" + text + "'",
                    "such as --aggregate 7,mean");
        }
        aggregate
                .put("resolution", Integer.parseInt(resolution))
                .put("by", text.substring(comma + 1).strip());
    }

    /** Returns the outer ring of the only polygon in a file. */
    private static JsonNode ring(Path file) {
        JsonNode tree;
        try {
            tree = JSON.readTree(Files.readString(file));
        } catch (JsonProcessingException e) {
            throw UserError.usage("--polygon: " + file + " is not JSON", "").causedBy(e);
        } catch (IOException e) {
            throw UserError.usage("--polygon: " + FileReason.of(e), "").causedBy(e);
        }
        JsonNode shape = tree;
        if (shape.path("type").asText().equals("FeatureCollection")
                && shape.path("features").size() == 1) {
            shape = shape.path("features").path(0);
        }
        if (shape.path("type").asText().equals("Feature")) {
            shape = shape.path("geometry");
        }
        if (shape.path("type").asText().equals("Polygon")
                && shape.path("coordinates").size() == 1) {
            shape = shape.path("coordinates").path(0);
        }
        if (!shape.isArray()) {
            throw UserError.usage(
                    "--polygon: " + file + " must have one polygon without holes",
                    "such as"
                            + " {\"type\":\"Polygon\",\"coordinates\":[[[-74.02,40.70],[-73.93,40.70],[-73.97,40.80],[-74.02,40.70]]]}");
        }
        return shape;
    }

    private ObjectNode wanted(JsonNode description) {
        ObjectNode wanted = JSON.createObjectNode();
        for (String pair : where) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw UserError.usage("--where must be NAME=VALUE, was '" + pair + "'", "such as --where product=p1");
            }
            String name = pair.substring(0, equals);
            wanted.withArray(name).add(GetCommand.typed(description, name, pair.substring(equals + 1)));
        }
        return wanted;
    }

    private void print(JsonNode answer) {
        List<String> counts = new ArrayList<>();
        answer.path("counts")
                .properties()
                .forEach(count -> counts.add(
                        String.format(Locale.ROOT, "%,d %s", count.getValue().asLong(), count.getKey())));
        console.out()
                .printf(
                        Locale.ROOT,
                        "%,d cells, %,d keys%s%n",
                        answer.path("cells").asLong(),
                        answer.path("keys").asLong(),
                        counts.isEmpty() ? "" : ": " + String.join(", ", counts));
        new ReadTable(answer).print(console.out());
    }
}
