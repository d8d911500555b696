package io.sallyport.fanout.rest;

import io.sallyport.fanout.core.ErrorCategory;
import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.core.Refusal;
import io.sallyport.fanout.publishing.Refusals;
import io.sallyport.fanout.publishing.RefusedException;
import jakarta.servlet.http.HttpServletResponse;
import java.util.concurrent.CompletionException;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.MissingServletRequestParameterException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/** The one place where a failure of this edge becomes an answer. */
@RestControllerAdvice
class ProblemAdvice {
    private static final Logger LOG = LoggerFactory.getLogger(ProblemAdvice.class);

    private final Refusals refusals;

    ProblemAdvice(Refusals refusals) {
        this.refusals = refusals;
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> handle(Exception failure) throws Exception {
        if (failure instanceof AuthenticationException || failure instanceof AccessDeniedException) {
            // The security filters answer these.
            throw failure;
        }
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof RefusedException refused) {
            return answer(refused.refusal());
        }
        if (cause instanceof HttpMessageNotReadableException unreadable) {
            return answer(unreadable(unreadable));
        }
        if (cause instanceof ErrorResponse known) {
            return answer(known);
        }
        if (cause instanceof InvalidParameterException parameters) {
            return answer(
                    parameters.getErrorCode() == HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE
                            ? ErrorCode.REQUEST_TOO_LARGE.because("the request has more parameters than are read here")
                            : ErrorCode.MALFORMED_REQUEST.because(
                                    "the parameters cannot be read: their names and values are UTF-8, percent-encoded"));
        }
        if (cause instanceof MethodArgumentTypeMismatchException mismatch) {
            return answer(ErrorCode.MALFORMED_REQUEST.because("the parameter " + mismatch.getName() + " is no number"));
        }
        LOG.error("a request failed", cause);
        return answer(ErrorCode.INTERNAL.because("see the log of this node"));
    }

    private static Refusal unreadable(HttpMessageNotReadableException failure) {
        String field = "";
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnrecognizedPropertyException unknown) {
                return ErrorCode.UNKNOWN_KEY.because("the request has no key '" + unknown.getPropertyName() + "'");
            }
            if (cause instanceof BodyLimitFilter.TooLargeException) {
                return ErrorCode.REQUEST_TOO_LARGE.because("the body is larger than is read here");
            }
            if (cause instanceof JacksonException json && field.isEmpty()) {
                field = field(json);
            }
        }
        return ErrorCode.MALFORMED_REQUEST.because(
                field.isEmpty()
                        ? "the body is not the JSON that this route reads"
                        : "the value of " + field + " is not what belongs there");
    }

    /** As it stands in the request: {@code target.sensor_id}, {@code sensor_ids[3]}; empty where no field is at fault. */
    private static String field(JacksonException failure) {
        var field = new StringBuilder();
        for (var step : failure.getPath()) {
            if (step.getPropertyName() == null) {
                field.append('[').append(step.getIndex()).append(']');
            } else {
                field.append(field.isEmpty() ? "" : ".").append(step.getPropertyName());
            }
        }
        return field.toString();
    }

    /** What Spring refuses before a route is called: its status stays, with the code that fits best. */
    private ResponseEntity<ProblemDetail> answer(ErrorResponse known) {
        HttpStatusCode status = known.getStatusCode();
        ErrorCode code = status.value() == HttpServletResponse.SC_NOT_FOUND
                ? ErrorCode.NO_SUCH_ROUTE
                : status.is4xxClientError() ? ErrorCode.MALFORMED_REQUEST : ErrorCode.INTERNAL;
        Refusal refusal = code.because(detail(known));
        refusals.count("rest", refusal);
        ProblemDetail problem = Problems.of(refusal);
        problem.setStatus(status.value());
        var headers = new HttpHeaders();
        headers.putAll(known.getHeaders());
        headers.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        return new ResponseEntity<>(problem, headers, status);
    }

    /** In our words: the framework's name its own parts, and change with its versions. */
    private static String detail(ErrorResponse known) {
        if (known instanceof MissingServletRequestParameterException missing) {
            return "the parameter " + missing.getParameterName() + " is missing";
        }
        return switch (known.getStatusCode().value()) {
            case HttpServletResponse.SC_NOT_FOUND -> "the API has no such route; they stand in /v3/api-docs";
            case HttpServletResponse.SC_METHOD_NOT_ALLOWED -> "the route does not have this method; see Allow";
            case HttpServletResponse.SC_NOT_ACCEPTABLE ->
                "the answer is application/json; the request does not accept it";
            case HttpServletResponse.SC_UNSUPPORTED_MEDIA_TYPE -> "the body must be application/json in UTF-8";
            default ->
                known.getStatusCode().is4xxClientError()
                        ? "this is no request that can be read here"
                        : "see the log of this node";
        };
    }

    private ResponseEntity<ProblemDetail> answer(Refusal refusal) {
        refusals.count("rest", refusal);
        var category = refusal.code().category();
        var response = ResponseEntity.status(Problems.status(category)).contentType(MediaType.APPLICATION_PROBLEM_JSON);
        if (category.isWorthARetry()) {
            response.header(HttpHeaders.RETRY_AFTER, Integer.toString(ErrorCategory.RETRY_AFTER_S));
        }
        return response.body(Problems.of(refusal));
    }
}
