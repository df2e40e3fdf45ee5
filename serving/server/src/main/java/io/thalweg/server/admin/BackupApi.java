package io.thalweg.server.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServerBuilder;
import io.thalweg.server.http.AnswerJson;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RefusedRequestException.Code;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The route of the admin port that copies the embedded store while it is in use. */
public final class BackupApi {
    private static final Logger LOG = LoggerFactory.getLogger(BackupApi.class);

    private final OnlineStore store;

    public BackupApi(OnlineStore store) {
        this.store = store;
    }

    public void addTo(ServerBuilder server) {
        HttpService backup = AdminApi.changes(this::backup);
        server.route().post("regex:^/v1/store:backup$").build((ctx, request) -> {
            ctx.clearRequestTimeout(); // the store's memory is written first
            return backup.serve(ctx, request);
        });
    }

    private ObjectNode backup(AdminRequest request) {
        String author = request.author();
        String name = request.name("name");
        if (name == null) {
            request.problem("name", "must name the backup, such as \"2026-11-25\"");
        }
        request.done();
        Path folder = backup(String.valueOf(name));
        LOG.info("{} has copied the store to {}", author, folder);
        return AnswerJson.object().put("name", name).put("folder", folder.toString());
    }

    private Path backup(String name) {
        try {
            return store.backup(name);
        } catch (IllegalArgumentException e) {
            throw RefusedRequestException.invalid("name: " + e.getMessage());
        } catch (UnsupportedOperationException e) {
            throw RefusedRequestException.invalid(String.valueOf(e.getMessage()));
        } catch (StoreException e) {
            LOG.error("The store cannot be copied: {}", e.getMessage(), e);
            throw new RefusedRequestException(Code.UNAVAILABLE, String.valueOf(e.getMessage()));
        }
    }
}
