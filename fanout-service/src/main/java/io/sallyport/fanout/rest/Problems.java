package io.sallyport.fanout.rest;

import io.sallyport.fanout.core.ErrorCategory;
import io.sallyport.fanout.core.Refusal;
import java.net.URI;
import java.util.Locale;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

/** A refusal as problem details (RFC 9457). */
public final class Problems {
    private Problems() {}

    public static ProblemDetail of(Refusal refusal) {
        var code = refusal.code();
        var problem = ProblemDetail.forStatusAndDetail(status(code.category()), refusal.detail());
        problem.setType(URI.create("urn:sallyport:error:" + code.name().toLowerCase(Locale.ROOT)));
        problem.setTitle(code.title());
        problem.setProperty("code", code.name());
        problem.setProperty("number", code.number());
        if (refusal.position() > 0) {
            problem.setProperty("position", refusal.position());
        }
        return problem;
    }

    public static HttpStatus status(ErrorCategory category) {
        return switch (category) {
            case INVALID -> HttpStatus.BAD_REQUEST;
            case TOO_LARGE -> HttpStatus.CONTENT_TOO_LARGE;
            case UNAUTHENTICATED -> HttpStatus.UNAUTHORIZED;
            case FORBIDDEN -> HttpStatus.FORBIDDEN;
            case NOT_FOUND -> HttpStatus.NOT_FOUND;
            case CONFLICT -> HttpStatus.CONFLICT;
            case REFUSED -> HttpStatus.UNPROCESSABLE_CONTENT;
            case OVERLOADED -> HttpStatus.TOO_MANY_REQUESTS;
            case TRANSIENT -> HttpStatus.SERVICE_UNAVAILABLE;
            case INTERNAL -> HttpStatus.INTERNAL_SERVER_ERROR;
        };
    }
}
