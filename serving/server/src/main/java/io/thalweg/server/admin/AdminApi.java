package io.thalweg.server.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.thalweg.qalm.CallerPolicy;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.LaneSnapshot;
import io.thalweg.qalm.Mode;
import io.thalweg.qalm.Qalm;
import io.thalweg.qalm.registry.ConflictException;
import io.thalweg.qalm.registry.Registry;
import io.thalweg.qalm.registry.Rules;
import io.thalweg.qalm.registry.RulesException;
import io.thalweg.qalm.yaml.RulesYaml;
import io.thalweg.server.access.Authentication;
import io.thalweg.server.http.AnswerJson;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RefusedRequestException.Code;
import io.thalweg.server.http.RequestProblems;
import io.thalweg.server.telemetry.RecentTimes;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The routes of the admin port, specified in {@code docs/reference/admin.md}: the state of load management, and its rules.
 * Changes of the rules take effect at once and survive a restart.
 */
public final class AdminApi {
    private static final int CALLERS = 50;
    private static final int CHANGES = 100;

    private final Qalm qalm;
    private final Registry registry;
    private final RecentTimes times;

    public AdminApi(Qalm qalm, Registry registry, RecentTimes times) {
        this.qalm = qalm;
        this.registry = registry;
        this.times = times;
    }

    public void addTo(ServerBuilder server) {
        server.route()
                .get("/v1/qalm/endpoints")
                .build(AnswerJson.reads(ctx -> endpoints(number(ctx, "callers", CALLERS))));
        server.route().get("/v1/qalm/audit").build(AnswerJson.reads(ctx -> audit(number(ctx, "limit", CHANGES))));
        server.route().get("/v1/qalm/rules").build(AnswerJson.reads(ctx -> AdminAnswers.rules(registry)));
        server.route().put("/v1/qalm/rules").build(changes(this::replace));
        server.route().post("regex:^/v1/qalm/rules:set_criticality$").build(changes(this::setCriticality));
        server.route().post("regex:^/v1/qalm/rules:set_mode$").build(changes(this::setMode));
    }

    /** Runs a change off the event loop. Its author is the caller, if the caller is authenticated. */
    static HttpService changes(Function<AdminRequest, ObjectNode> change) {
        return (ctx, request) -> HttpResponse.of(request.aggregate()
                .thenApplyAsync(
                        whole -> AnswerJson.response(
                                change.apply(new AdminRequest(whole.content().array(), Authentication.callerOf(ctx)))),
                        ctx.blockingTaskExecutor()));
    }

    private static int number(ServiceRequestContext ctx, String name, int usual) {
        String said = ctx.queryParam(name);
        if (said == null) {
            return usual;
        }
        if (!said.matches("\\d{1,4}")) {
            throw RefusedRequestException.invalid(name + ": must be a number from 0 to 9999, was " + said);
        }
        return Integer.parseInt(said);
    }

    private ObjectNode endpoints(int callersMax) {
        ObjectNode answer = AnswerJson.object();
        Rules rules = registry.rules();
        ArrayNode endpoints = answer.putArray("endpoints");
        for (LaneSnapshot lane : qalm.snapshot()) {
            LaneSnapshot shadow = qalm.lane(lane.endpoint()).shadowSnapshot();
            endpoints.add(AdminAnswers.endpoint(lane, shadow, rules, times, callersMax));
        }
        answer.set("process", AdminAnswers.process(qalm));
        return answer;
    }

    private ObjectNode audit(int limit) {
        return AdminAnswers.audit(registry.trail(), limit);
    }

    private ObjectNode replace(AdminRequest request) {
        long version = request.version();
        String author = request.author();
        String document = request.document();
        request.done();
        return change(version, author, before -> RulesYaml.parse("rules", document));
    }

    private ObjectNode setCriticality(AdminRequest request) {
        long version = request.version();
        String author = request.author();
        String endpoint = request.name("endpoint");
        String caller = request.name("caller");
        Criticality said = request.criticality();
        if (endpoint == null && caller == null) {
            request.problem("endpoint", "must be there, or caller, or both");
        }
        request.done();
        return change(version, author, rules -> withCriticality(rules, endpoint, caller, said));
    }

    private static Rules withCriticality(
            Rules rules, @Nullable String endpoint, @Nullable String caller, @Nullable Criticality said) {
        if (caller == null) {
            return endpoint == null ? rules : rules.withCriticality(endpoint, said);
        }
        if (endpoint == null) {
            return rules.withCaller(caller, policy(rules.callers().get(caller), said));
        }
        Rules.Endpoint at = rules.endpoints().get(endpoint);
        CallerPolicy before = at == null ? null : at.callers().get(caller);
        return rules.withCaller(endpoint, caller, policy(before, said));
    }

    /** Returns a policy with another criticality and the same budget and rights. */
    private static @Nullable CallerPolicy policy(@Nullable CallerPolicy before, @Nullable Criticality said) {
        if (said == null) {
            return null;
        }
        return before == null ? new CallerPolicy(said) : before.withCriticality(said);
    }

    private ObjectNode setMode(AdminRequest request) {
        long version = request.version();
        String author = request.author();
        String endpoint = request.name("endpoint");
        Mode mode = request.mode();
        request.done();
        return change(
                version, author, rules -> endpoint == null ? rules.withMode(mode) : rules.withMode(endpoint, mode));
    }

    private ObjectNode change(long version, String author, UnaryOperator<Rules> edit) {
        try {
            registry.change(version, author, edit);
        } catch (ConflictException e) {
            throw new RefusedRequestException(Code.ABORTED, String.valueOf(e.getMessage()));
        } catch (RulesException e) {
            RequestProblems problems = new RequestProblems();
            e.problems().forEach(problem -> problems.add("rules", problem));
            problems.throwIfAny();
        }
        return AdminAnswers.rules(registry);
    }
}
