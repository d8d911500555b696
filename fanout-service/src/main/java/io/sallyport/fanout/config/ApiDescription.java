package io.sallyport.fanout.config;

import io.sallyport.fanout.core.ErrorCode;
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
import java.util.Arrays;
import org.springdoc.core.customizers.OpenApiCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What the OpenAPI document says beyond the routes themselves: tokens, and the one shape of all errors. */
@Configuration(proxyBeanMethods = false)
class ApiDescription {
    private static final String PROBLEM = "Problem";
    private static final String TOKEN = "publisher";

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

    @Bean
    OpenApiCustomizer refusalsOfEveryRoute() {
        var refused = new ApiResponse()
                .description("Refused; `code` says why")
                .content(new Content()
                        .addMediaType(
                                org.springframework.http.MediaType.APPLICATION_PROBLEM_JSON_VALUE,
                                new MediaType().schema(new Schema<>().$ref("#/components/schemas/" + PROBLEM))));
        return api -> api.getPaths()
                .values()
                .forEach(path -> path.readOperations()
                        .forEach(operation -> operation.getResponses().addApiResponse("default", refused)));
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
