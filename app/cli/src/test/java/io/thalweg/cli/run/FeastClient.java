package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.devkit.FeastEnvironment;
import io.thalweg.testing.Await;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** An unmodified Feast client. If it cannot be installed, tests that need it are skipped with a message. */
record FeastClient(Path bin) {
    private static final Duration PATIENCE = Await.PATIENCE;

    /** Installs the client if it is missing. */
    static FeastClient installed() throws IOException {
        try {
            return new FeastClient(FeastEnvironment.installed().bin());
        } catch (IllegalStateException e) {
            String reason = "Feast's own client was not tried: " + e.getMessage();
            System.err.println(reason);
            return Assumptions.abort(reason);
        }
    }

    /** {@code feast apply}, in a feature repository. */
    void apply(Path repository) {
        run(repository, bin.resolve("feast").toString(), "apply");
    }

    /**
     * A query to a feature repository or a server.
     *
     * @param features {@code view:feature}
     * @param entities the values of each join key
     */
    record Question(List<String> features, Map<String, ? extends List<?>> entities) {}

    /**
     * Queries a feature repository, in one process, because imports take most of the time.
     *
     * @return for each question the result of {@code get_online_features(…).to_dict()}, with full feature names
     */
    JsonNode read(Path repository, Question... questions) throws IOException {
        return ask(repository, READ, questions);
    }

    /**
     * Queries a server with the stubs that Feast contains.
     *
     * @param address {@code host:port}
     * @return an answer in the form of {@link #read}
     */
    JsonNode readOverGrpc(Path folder, String address, Question question) throws IOException {
        return ask(
                folder,
                READ_OVER_GRPC,
                Map.of("address", address, "features", question.features(), "entities", question.entities()));
    }

    /**
     * Joins features to labels, as for a training set. The entities of the question include {@code event_timestamp}, as ISO 8601 text.
     *
     * @return {@code get_historical_features(…)}, with full feature names: a list for each column, in the order of the labels; null
     *     for a missing value
     */
    JsonNode history(Path repository, Question question) throws IOException {
        return ask(repository, HISTORY, question);
    }

    private JsonNode ask(Path folder, String script, Object question) throws IOException {
        ObjectMapper json = new ObjectMapper();
        List<String> said =
                run(folder, bin.resolve("python").toString(), "-c", script, json.writeValueAsString(question));
        return json.readTree(said.get(said.size() - 1));
    }

    private static final String READ = """
            import json, sys
            from feast import FeatureStore
            store = FeatureStore(repo_path=".")
            answers = []
            for question in json.loads(sys.argv[1]):
                entities = question["entities"]
                answers.append(store.get_online_features(
                    features=question["features"],
                    entity_rows=[dict(zip(entities, row)) for row in zip(*entities.values())],
                    full_feature_names=True).to_dict())
            print(json.dumps(answers))
            """;

    private static final String HISTORY = """
            import json, sys
            import pandas
            from feast import FeatureStore
            question = json.loads(sys.argv[1])
            labels = pandas.DataFrame(question["entities"])
            labels["event_timestamp"] = pandas.to_datetime(labels["event_timestamp"], utc=True, format="ISO8601")
            labels["label"] = range(len(labels))
            found = FeatureStore(repo_path=".").get_historical_features(
                labels, question["features"], full_feature_names=True).to_df()
            found = labels[["label"]].merge(found.drop(columns=["event_timestamp"]), on="label", how="left")
            found = found.astype(object).where(found.notna(), None)
            print(json.dumps({name: list(found[name]) for name in found.columns}))
            """;

    private static final String READ_OVER_GRPC = """
            import grpc, json, sys
            from feast.online_response import OnlineResponse
            from feast.protos.feast.serving.ServingService_pb2 import FeatureList, GetOnlineFeaturesRequest
            from feast.protos.feast.serving.ServingService_pb2_grpc import ServingServiceStub
            from feast.protos.feast.types.Value_pb2 import RepeatedValue, Value
            question = json.loads(sys.argv[1])
            request = GetOnlineFeaturesRequest(
                features=FeatureList(val=question["features"]), full_feature_names=True)
            for name, column in question["entities"].items():
                request.entities[name].CopyFrom(RepeatedValue(val=[
                    Value(int64_val=v) if isinstance(v, int) else Value(string_val=v) for v in column]))
            stub = ServingServiceStub(grpc.insecure_channel(question["address"]))
            print(json.dumps(OnlineResponse(stub.GetOnlineFeatures(request, timeout=30)).to_dict()))
            """;

    private static List<String> run(Path folder, String... command) {
        try (Subprocess process = Subprocess.start(folder, FeastEnvironment.VARIABLES, List.of(command))) {
            assertThat(process.awaitExit(PATIENCE))
                    .as(() -> String.join("\n", process.stderr()))
                    .isZero();
            return process.stdout();
        }
    }
}
