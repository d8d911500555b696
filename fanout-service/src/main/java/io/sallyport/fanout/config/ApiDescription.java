package io.sallyport.fanout.config;

import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.rest.Problems;
import io.sallyport.fanout.rest.Refuses;
import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.ObjectSchema;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.springdoc.core.customizers.OperationCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;

/** What the OpenAPI document says beyond the routes themselves: tokens, and the one shape of all errors. */
@Configuration(proxyBeanMethods = false)
class ApiDescription {
    private static final String PROBLEM = "Problem";
    private static final String TOKEN = "publisher";
    private static final List<ErrorCode> EVERYWHERE = List.of(
            ErrorCode.CUSTOMER_REQUIRED,
            ErrorCode.UNAUTHENTICATED,
            ErrorCode.MISSING_SCOPE,
            ErrorCode.CROSS_TENANT,
            ErrorCode.UNKNOWN_CUSTOMER,
            ErrorCode.INTERNAL);

    @Bean
    OpenAPI publishingApi() {
        return new OpenAPI()
                .info(new Info().title("Sallyport publishing").version("1"))
                .addSecurityItem(new SecurityRequirement().addList(TOKEN))
                .components(new Components()
                        .addSecuritySchemes(
                                TOKEN,
                                new SecurityScheme()
                                        .type(SecurityScheme.Type.HTTP)
                                        .scheme("bearer")
                                        .bearerFormat("JWT"))
                        .addSchemas(PROBLEM, problem()));
    }

    /** Every status that a route answers with, and the codes that it has then. */
    @Bean
    OperationCustomizer refusalsOfEachRoute() {
        return (operation, route) -> {
            var codes = new TreeMap<Integer, List<String>>();
            var refuses = route.getMethodAnnotation(Refuses.class);
            Stream.concat(EVERYWHERE.stream(), refuses == null ? Stream.empty() : Arrays.stream(refuses.value()))
                    .forEach(code -> document(codes, Problems.status(code.category()), code));
            document(codes, HttpStatus.NOT_ACCEPTABLE, ErrorCode.MALFORMED_REQUEST);
            if (operation.getRequestBody() != null) {
                document(codes, HttpStatus.UNSUPPORTED_MEDIA_TYPE, ErrorCode.MALFORMED_REQUEST);
            }
            codes.forEach((status, names) -> operation
                    .getResponses()
                    .addApiResponse(Integer.toString(status), refusal(String.join(", ", names))));
            return operation;
        };
    }

    private static void document(Map<Integer, List<String>> codes, HttpStatus status, ErrorCode code) {
        codes.computeIfAbsent(status.value(), key -> new ArrayList<>()).add(code.name());
    }

    private static ApiResponse refusal(String codes) {
        return new ApiResponse()
                .description(codes)
                .content(new Content()
                        .addMediaType(
                                org.springframework.http.MediaType.APPLICATION_PROBLEM_JSON_VALUE,
                                new MediaType().schema(new Schema<>().$ref("#/components/schemas/" + PROBLEM))));
    }

    private static Schema<?> problem() {
        var code = new StringSchema();
        Arrays.stream(ErrorCode.values()).map(Enum::name).forEach(code::addEnumItem);
        return new ObjectSchema()
                .description("Problem details, RFC 9457")
                .addProperty("type", new StringSchema())
                .addProperty("title", new StringSchema())
                .addProperty("status", new IntegerSchema())
                .addProperty("detail", new StringSchema())
                .addProperty("instance", new StringSchema())
                .addProperty("code", code)
                .addProperty("number", new IntegerSchema())
                .addProperty("position", new IntegerSchema().description("In the selector, from 1"));
    }
}
