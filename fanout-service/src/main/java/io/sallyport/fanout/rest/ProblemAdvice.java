package io.sallyport.fanout.rest;

import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.core.Refusal;
import io.sallyport.fanout.publishing.Refusals;
import io.sallyport.fanout.publishing.RefusedException;
import jakarta.servlet.http.HttpServletResponse;
import java.util.concurrent.CompletionException;
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
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
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
        if (cause instanceof MethodArgumentTypeMismatchException mismatch) {
            return answer(ErrorCode.MALFORMED_REQUEST.because("the parameter " + mismatch.getName() + " is no number"));
        }
        LOG.error("a request failed", cause);
        return answer(ErrorCode.INTERNAL.because("see the log of this node"));
    }

    private static Refusal unreadable(HttpMessageNotReadableException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnrecognizedPropertyException unknown) {
                return ErrorCode.UNKNOWN_KEY.because("the request has no key '" + unknown.getPropertyName() + "'");
            }
            if (cause instanceof BodyLimitFilter.TooLargeException) {
                return ErrorCode.REQUEST_TOO_LARGE.because("the body is larger than is read here");
            }
        }
        return ErrorCode.MALFORMED_REQUEST.because("the body is not the JSON that this route reads");
    }

    /** What Spring refuses before a route is called: its status stays, with the code that fits best. */
    private ResponseEntity<ProblemDetail> answer(ErrorResponse known) {
        HttpStatusCode status = known.getStatusCode();
        ErrorCode code = status.value() == HttpServletResponse.SC_NOT_FOUND
                ? ErrorCode.NO_SUCH_ROUTE
                : status.is4xxClientError() ? ErrorCode.MALFORMED_REQUEST : ErrorCode.INTERNAL;
        String detail = known.getBody().getDetail();
        Refusal refusal = code.because(detail == null ? code.title() : detail);
        refusals.count("rest", refusal);
        ProblemDetail problem = Problems.of(refusal);
        problem.setStatus(status.value());
        var headers = new HttpHeaders();
        headers.putAll(known.getHeaders());
        headers.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        return new ResponseEntity<>(problem, headers, status);
    }

    private ResponseEntity<ProblemDetail> answer(Refusal refusal) {
        refusals.count("rest", refusal);
        return ResponseEntity.status(Problems.status(refusal.code().category()))
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(Problems.of(refusal));
    }
}
