package io.thalweg.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** The data of the console's page of jobs. */
final class JobsPage {
    private JobsPage() {}

    /** Reads it from the console whose address a process prints. */
    static JsonNode of(Subprocess process, Duration patience) throws IOException, InterruptedException {
        String console = process.awaitLine("console (at )?http", patience)
                .replaceFirst(".*console (?:at )?(http[^ ,]+).*", "$1");
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(console + "/v1/console/jobs")).build();
        return new ObjectMapper()
                .readTree(HttpOne.client()
                        .send(request, HttpResponse.BodyHandlers.ofString())
                        .body());
    }
}
