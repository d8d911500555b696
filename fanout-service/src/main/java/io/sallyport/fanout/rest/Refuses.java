package io.sallyport.fanout.rest;

import io.sallyport.fanout.core.ErrorCode;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The codes that a route may answer with besides those of every route. The OpenAPI document is made of them. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Refuses {
    ErrorCode[] value();
}
