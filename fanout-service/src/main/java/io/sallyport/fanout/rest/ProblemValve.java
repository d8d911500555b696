package io.sallyport.fanout.rest;

import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.core.Refusal;
import io.sallyport.fanout.publishing.Refusals;
import java.io.IOException;
import java.io.Writer;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.MediaType;
import tools.jackson.databind.json.JsonMapper;

/** What the server itself refuses, before any route or filter sees it, gets the same answer as everything else. */
public final class ProblemValve extends ErrorReportValve {
    private static final Logger LOG = LoggerFactory.getLogger(ProblemValve.class);
    private static final int FIRST_ERROR = 400;
    private static final int FIRST_FAULT = 500;

    private final JsonMapper json;
    private final Refusals refusals;

    public ProblemValve(JsonMapper json, Refusals refusals) {
        this.json = json;
        this.refusals = refusals;
    }

    @Override
    protected void report(Request request, Response response, @Nullable Throwable failure) {
        int status = response.getStatus();
        if (status < FIRST_ERROR || response.getContentWritten() > 0 || !response.setErrorReported()) {
            return;
        }
        Refusal refusal = status < FIRST_FAULT
                ? ErrorCode.MALFORMED_REQUEST.because("this is no request that can be read here")
                : ErrorCode.INTERNAL.because("see the log of this node");
        refusals.count("rest", refusal);
        var problem = Problems.of(refusal);
        problem.setStatus(status);
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        try {
            Writer writer = response.getReporter();
            if (writer != null) {
                writer.write(json.writeValueAsString(problem));
                response.finishResponse();
            }
        } catch (IOException e) {
            LOG.debug("a caller went away before its answer", e);
        }
    }
}
