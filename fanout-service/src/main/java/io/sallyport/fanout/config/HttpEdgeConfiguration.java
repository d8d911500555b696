package io.sallyport.fanout.config;

import io.sallyport.fanout.publishing.Refusals;
import io.sallyport.fanout.rest.BodyLimitFilter;
import io.sallyport.fanout.rest.ProblemValve;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/** How the HTTP edge reads requests, and what it says of those that it cannot read. */
@Configuration(proxyBeanMethods = false)
class HttpEdgeConfiguration {

    @Bean
    BodyLimitFilter bodyLimitFilter(FanoutProperties properties) {
        return new BodyLimitFilter(properties.requests().maxBody().toBytes());
    }

    /** A number is no text; the settings file says the rest of what is not guessed. */
    @Bean
    JsonMapperBuilderCustomizer strictTexts() {
        return builder -> builder.withCoercionConfig(
                LogicalType.Textual,
                texts -> texts.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                        .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                        .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail));
    }

    /** The valve that is added last reports first. */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> problemsOfTheServer(JsonMapper json, Refusals refusals) {
        return server -> server.addContextCustomizers(
                context -> context.getParent().getPipeline().addValve(new ProblemValve(json, refusals)));
    }
}
