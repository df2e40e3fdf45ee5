package io.thalweg.runner;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thalweg.model.row.CellText;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCells;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Reads some keys of each view of the demo several times a second, as a model would, so that the serving log has answers.
 *
 * <p><b>Threads.</b> {@link #see} by the tasks of the job; one thread reads.
 */
final class DemoReads implements AutoCloseable {
    private static final long EVERY_MS = 200;
    /** The number of keys per view that reads choose from. */
    private static final int KEYS = 500;

    private static final int KEYS_PER_READ = 20;

    private final List<FeatureView> views;
    private final int port;
    private final Map<String, List<ObjectNode>> keys = new HashMap<>();
    private final ObjectMapper json = new ObjectMapper();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Thread thread = new Thread(this::read, "demo-reads");
    private volatile boolean closed;

    private DemoReads(List<FeatureView> views, int port) {
        this.views = views;
        this.port = port;
        views.forEach(view -> keys.put(view.qualifiedName(), new CopyOnWriteArrayList<>()));
    }

    /** Starts to read from a port of this machine. */
    static DemoReads start(List<FeatureView> views, int port) {
        DemoReads reads = new DemoReads(views, port);
        reads.thread.setDaemon(true);
        reads.thread.start();
        return reads;
    }

    /** Notes a key of a block. */
    void see(RowBlock block) {
        List<ObjectNode> seen = keys.get(block.view());
        if (seen != null && seen.size() < KEYS && block.rows() > 0) {
            for (FeatureView view : views) {
                if (view.qualifiedName().equals(block.view())) {
                    seen.add(key(view, RowCells.of(view).key(block, block.rows() / 2)));
                }
            }
        }
    }

    private ObjectNode key(FeatureView view, List<Object> values) {
        ObjectNode key = json.createObjectNode();
        for (int i = 0; i < values.size(); i++) {
            Entity entity = view.entities().get(i);
            Object value = values.get(i);
            key.set(
                    entity.name(),
                    json.valueToTree(entity instanceof Entity.Cell ? CellText.format((Long) value) : value));
        }
        return key;
    }

    private void read() {
        Random random = new Random(1);
        while (!closed) {
            try {
                for (FeatureView view : views) {
                    List<ObjectNode> seen = keys.getOrDefault(view.qualifiedName(), List.of());
                    if (!seen.isEmpty()) {
                        read(
                                view,
                                random.ints(KEYS_PER_READ, 0, seen.size())
                                        .mapToObj(seen::get)
                                        .toList());
                    }
                }
                TimeUnit.MILLISECONDS.sleep(EVERY_MS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void read(FeatureView view, List<ObjectNode> asked) throws InterruptedException {
        ObjectNode request = json.createObjectNode();
        request.putArray("entities").addAll(asked);
        HttpRequest post = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:%d/v1/views/%s:read".formatted(port, view.qualifiedName())))
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(request.toString()))
                .build();
        try {
            HttpResponse<Void> unused = client.send(post, HttpResponse.BodyHandlers.discarding());
        } catch (IOException e) {
            // The server starts or stops; a read more or less does not matter here.
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
