package io.thalweg.runner;

import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.view.FeastView;
import io.thalweg.model.view.FeastView.JoinKey;
import io.thalweg.model.view.FeastView.KeyType;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Online;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;

/**
 * The files of a feature repository, as Feast 0.67 reads them.
 *
 * @param project the name of the project in the store
 * @param onlineStore the part of Feast's configuration below {@code online_store}, which names where it reads
 */
public record FeastRepository(List<FeatureView> views, String project, String onlineStore) {
    private static final int PORT = 6379;

    public FeastRepository {
        views = List.copyOf(views);
    }

    /**
     * Creates a repository of views that Feast reads from Redis directly. It contains no password: Feast takes that from its
     * environment.
     *
     * @param cluster whether the server belongs to a Redis Cluster, which its address does not show
     * @throws UserError if a view does not use one of Feast's layouts
     */
    public static FeastRepository ofRedis(List<FeatureView> views, DeploymentConfig.Redis redis, boolean cluster) {
        views.forEach(FeastRepository::requireLayout);
        return new FeastRepository(views, redis.project(), """
                  type: redis
                  redis_type: %s
                  connection_string: "%s"
                """.formatted(
                cluster ? "redis_cluster" : "redis", connection(redis.server().uri())));
    }

    private static void requireLayout(FeatureView view) {
        if (!view.online().layout().isFeast()) {
            throw UserError.usage(
                    "view %s: online.layout must be feast-scalars or feast-array for Feast to read it, was %s"
                            .formatted(
                                    view.qualifiedName(), view.online().layout().text()),
                    "change it there and write the view's rows again; or let Feast ask Thalweg's server: --server URL");
        }
    }

    /** Creates a repository of views that Feast reads through Thalweg's server, whatever their store and layout. */
    public static FeastRepository ofServer(List<FeatureView> views, String project, URI server) {
        return new FeastRepository(views, project, """
                  type: remote
                  path: %s
                """.formatted(server));
    }

    /** Returns {@code feature_store.yaml}. */
    public String store() {
        return """
                # Made by thalweg export feast.
                project: %s
                provider: local
                registry: registry.db
                online_store:
                %sentity_key_serialization_version: 3
                """.formatted(project, onlineStore);
    }

    private static String connection(URI uri) {
        StringBuilder text = new StringBuilder(uri.getHost() + ":" + (uri.getPort() < 0 ? PORT : uri.getPort()));
        String database = uri.getPath() == null ? "" : uri.getPath().replaceFirst("^/", "");
        if (!database.isEmpty()) {
            text.append(",db=").append(database);
        }
        if (uri.getScheme().equals("rediss")) {
            text.append(",ssl=true");
        }
        String user = uri.getRawUserInfo();
        if (user != null) {
            String name = user.contains(":") ? user.substring(0, user.indexOf(':')) : "";
            text.append(name.isEmpty() ? "" : ",username=" + name).append(",password=${REDIS_PASSWORD}");
        }
        return text.toString();
    }

    /**
     * Returns {@code feature_definitions.py}.
     *
     * @throws UserError if two views define an entity differently
     */
    public String definitions() {
        StringBuilder text = new StringBuilder("""
                # Made by thalweg export feast; repeat the export when the views change.
                from datetime import timedelta

                from feast import Entity, FeatureView, Field, FileSource, ValueType
                from feast.types import Array, Float32, Float64, Int64, String

                """);
        entities()
                .forEach((name, type) ->
                        text.append("%s = Entity(name=\"%s\", join_keys=[\"%s\"], value_type=ValueType.%s)\n"
                                .formatted(variable(name), name, name, type)));
        views.forEach(view -> text.append(definition(view)));
        return text.toString();
    }

    private Map<String, KeyType> entities() {
        Map<String, KeyType> entities = new LinkedHashMap<>();
        for (FeatureView view : views) {
            for (JoinKey key : FeastView.of(view).joinKeys()) {
                KeyType other = entities.putIfAbsent(key.name(), key.type());
                if (other != null && other != key.type()) {
                    throw UserError.usage(
                            "entity %s of view %s is %s, in another view %s: in a repository of Feast an entity has one type"
                                    .formatted(key.name(), view.qualifiedName(), key.type(), other),
                            "rename it in one of them, or export them into repositories of their own");
                }
            }
        }
        return entities;
    }

    private static String definition(FeatureView view) {
        FeastView feast = FeastView.of(view);
        List<String> entities =
                view.entities().stream().map(entity -> variable(entity.name())).toList();
        List<String> fields = new ArrayList<>();
        feast.joinKeys()
                .forEach(key -> fields.add(field(key.name(), key.type() == KeyType.STRING ? "String" : "Int64")));
        boolean array = view.online().layout() == Online.Layout.FEAST_ARRAY;
        if (array) {
            fields.add("# in this order: " + String.join(", ", view.featureNames()));
        }
        types(view).forEach(feature -> fields.add(field(feature.getKey(), feature.getValue())));
        return """

                %s_view = FeatureView(
                    name="%s",
                    description=%s,
                    entities=[%s],
                    ttl=timedelta(milliseconds=%d),
                    schema=[
                        %s
                    ],
                    online=True,
                    # Thalweg writes the rows that are read online. %s
                    source=FileSource(name="%s_rows", path="%s.parquet", timestamp_field="%s"),
                )
                """.formatted(
                        feast.name(),
                        feast.name(),
                        text(view.description()),
                        String.join(", ", entities),
                        view.online().ttl().millis(),
                        String.join("\n        ", fields),
                        history(view, array),
                        feast.name(),
                        feast.name(),
                        !isExported(view) || array ? "window_end" : "readable_at");
    }

    /** Whether {@code log export --feast} writes a source of the view. */
    private static boolean isExported(FeatureView view) {
        return view.offline() != null && !view.isTable();
    }

    /** Returns what to know about the source of a view. */
    private static String history(FeatureView view, boolean array) {
        if (array) {
            return "This source stays empty: logs have a column for each feature, not one list.";
        }
        if (view.isTable()) {
            return "This source stays empty: for training sets, name the files of the table itself.";
        }
        return view.offline() == null
                ? "This source stays empty: the view has no feature log (offline:)."
                : "For get_historical_features: thalweg log export %s --feast --out %s.parquet"
                        .formatted(view.qualifiedName(), FeastView.of(view).name());
    }

    private static List<Entry<String, String>> types(FeatureView view) {
        if (view.online().layout() == Online.Layout.FEAST_ARRAY) {
            return List.of(Map.entry(FeastView.ARRAY, "Array(Float32)"));
        }
        List<Entry<String, String>> types = new ArrayList<>();
        for (int i = 0; i < view.featureNames().size(); i++) {
            types.add(Map.entry(
                    view.featureNames().get(i), type(view.featureTypes().get(i))));
        }
        return types;
    }

    private static String type(String type) {
        return switch (type) {
            case "int64" -> "Int64";
            case "string" -> "String";
            case "double_list" -> "Array(Float64)";
            default -> "Float64";
        };
    }

    private static String field(String name, String type) {
        return "Field(name=\"%s\", dtype=%s),".formatted(name, type);
    }

    private static String variable(String entity) {
        return entity + "_entity";
    }

    /** Returns a Python string literal. */
    private static String text(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars()
                .forEach(c -> quoted.append(
                        c == '"' || c == '\\' || c < ' ' ? "\\x%02x".formatted(c) : String.valueOf((char) c)));
        return quoted.append('"').toString();
    }
}
