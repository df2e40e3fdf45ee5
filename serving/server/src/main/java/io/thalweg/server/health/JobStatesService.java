package io.thalweg.server.health;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.thalweg.live.inspect.JobStates;
import io.thalweg.server.http.AnswerJson;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RefusedRequestException.Code;
import java.io.IOException;

/** {@code GET /v1/jobs}: how the jobs of this process spend their time, for {@code thalweg tune}. */
public final class JobStatesService implements HttpService {
    public static final String PATH = "/v1/jobs";

    private final JobProbe job;

    public JobStatesService(JobProbe job) {
        this.job = job;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        return HttpResponse.of(request.aggregate().thenApplyAsync(whole -> answer(), ctx.blockingTaskExecutor()));
    }

    private HttpResponse answer() {
        try {
            return AnswerJson.response(JobStates.toJson(job.jobs()));
        } catch (IOException e) {
            throw new RefusedRequestException(Code.UNAVAILABLE, "the job does not answer: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RefusedRequestException(Code.UNAVAILABLE, "the server is stopping");
        }
    }
}
