package io.thalweg.server.health;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.thalweg.live.inspect.HotCode;
import io.thalweg.server.http.AnswerJson;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RefusedRequestException.Code;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** {@code POST /v1/jobs:profile}: the methods of this process that use the most CPU and allocate the most, recorded for 5 s, for {@code thalweg tune}. */
public final class HotCodeService implements HttpService {
    public static final String PATH = "regex:^/v1/jobs:profile$";

    private static final Duration SPAN = Duration.ofSeconds(5);

    private final JobProbe job;

    public HotCodeService(JobProbe job) {
        this.job = job;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        ctx.clearRequestTimeout(); // The first recording starts slowly on a busy machine.
        return HttpResponse.of(request.aggregate().thenApplyAsync(whole -> answer(), ctx.blockingTaskExecutor()));
    }

    private HttpResponse answer() {
        if (!job.isHere()) {
            throw RefusedRequestException.invalid(
                    "no job runs in this process; Flink's own pages have flame graphs of those of a cluster");
        }
        try {
            Optional<HotCode> code = HotCode.record(SPAN);
            return AnswerJson.response(code.map(HotCodeService::json)
                    .orElseThrow(
                            () -> new RefusedRequestException(Code.UNAVAILABLE, "another recording is in progress")));
        } catch (IOException e) {
            throw new RefusedRequestException(Code.UNAVAILABLE, "the recorder failed: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RefusedRequestException(Code.UNAVAILABLE, "the server is stopping");
        }
    }

    private static ObjectNode json(HotCode code) {
        ObjectNode answer = AnswerJson.object();
        add(answer.putArray("computes"), code.computes());
        add(answer.putArray("allocates"), code.allocates());
        return answer;
    }

    private static void add(ArrayNode array, List<HotCode.Site> sites) {
        sites.forEach(site -> array.addObject().put("method", site.method()).put("share", site.share()));
    }
}
