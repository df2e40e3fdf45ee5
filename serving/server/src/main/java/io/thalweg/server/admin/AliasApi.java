package io.thalweg.server.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.http.AnswerJson;
import io.thalweg.server.versions.Aliases;
import io.thalweg.server.versions.ServedViews;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The routes of the admin port that show and switch the version that the name of a view refers to. */
public final class AliasApi {
    private static final Logger LOG = LoggerFactory.getLogger(AliasApi.class);

    private final ServedViews views;
    private final Aliases aliases;

    public AliasApi(ServedViews views, Aliases aliases) {
        this.views = views;
        this.aliases = aliases;
    }

    public void addTo(ServerBuilder server) {
        server.route().get("/v1/aliases").build(AnswerJson.reads(ctx -> all()));
        server.route()
                .put("/v1/aliases/{name}")
                .build((ctx, request) -> changes(ctx).serve(ctx, request));
    }

    private HttpService changes(ServiceRequestContext ctx) {
        return AdminApi.changes(request -> set(String.valueOf(ctx.pathParam("name")), request));
    }

    private ObjectNode all() {
        ObjectNode answer = AnswerJson.object();
        ArrayNode names = answer.putArray("aliases");
        views.all().stream().map(FeatureView::name).distinct().forEach(name -> {
            List<FeatureView> versions = views.versions(name);
            ObjectNode node = names.addObject();
            node.put("name", name);
            node.put("view", views.find(name).map(FeatureView::qualifiedName).orElse(null));
            ArrayNode loaded = node.putArray("versions");
            versions.forEach(version -> loaded.add(version.qualifiedName()));
            node.put(
                    "awaits",
                    aliases.awaited(name).map(FeatureView::qualifiedName).orElse(null));
        });
        return answer;
    }

    private ObjectNode set(String name, AdminRequest request) {
        String author = request.author();
        String view = request.name("view");
        if (view == null) {
            request.problem("view", "must name a version, such as \"demand_v2\"");
        }
        boolean force = request.flag("force");
        request.done();
        FeatureView before = aliases.set(name, String.valueOf(view), force);
        String now = views.get(name).qualifiedName();
        LOG.info("{} has switched reads of {} from {} to {}", author, name, before.qualifiedName(), now);
        return AnswerJson.object().put("name", name).put("view", now).put("before", before.qualifiedName());
    }
}
