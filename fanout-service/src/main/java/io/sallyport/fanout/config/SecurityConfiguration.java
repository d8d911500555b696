package io.sallyport.fanout.config;

import io.grpc.ServerInterceptor;
import io.sallyport.fanout.auth.PublisherTokens;
import io.sallyport.fanout.core.ErrorCode;
import io.sallyport.fanout.core.Refusal;
import io.sallyport.fanout.publishing.Refusals;
import io.sallyport.fanout.rest.Problems;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.grpc.server.GlobalServerInterceptor;
import org.springframework.grpc.server.security.GrpcSecurity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.firewall.RequestRejectedHandler;
import tools.jackson.databind.json.JsonMapper;

/** Both edges ask for the same token; probes and descriptions of the API are open. */
@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {
    private static final String[] OPEN_GRPC = {"grpc.health.v1.Health/*", "grpc.reflection.*/*"};

    @Bean
    JwtDecoder publisherTokenDecoder(FanoutProperties properties) {
        var auth = properties.auth();
        return PublisherTokens.decoder(auth.jwks(), auth.issuer(), auth.audience());
    }

    /** Health and metrics, on the management port alone. */
    @Bean
    @Order(1)
    SecurityFilterChain managementSecurity(HttpSecurity http) {
        return http.securityMatcher(EndpointRequest.toAnyEndpoint())
                .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                .csrf(AbstractHttpConfigurer::disable)
                .build();
    }

    @Bean
    @Order(2)
    SecurityFilterChain apiSecurity(HttpSecurity http, JwtDecoder decoder, JsonMapper json, Refusals refusals) {
        return http.authorizeHttpRequests(requests -> requests.requestMatchers("/v3/api-docs/**", "/v3/api-docs.yaml")
                        .permitAll()
                        .anyRequest()
                        .authenticated())
                .oauth2ResourceServer(server -> server.jwt(jwt -> jwt.decoder(decoder))
                        .authenticationEntryPoint(
                                (request, response, failure) -> unauthenticated(response, json, refusals)))
                .exceptionHandling(handling -> handling.authenticationEntryPoint(
                        (request, response, failure) -> unauthenticated(response, json, refusals)))
                // A bearer token is not sent by a browser on its own, so there is nothing to forge.
                .csrf(AbstractHttpConfigurer::disable)
                .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .build();
    }

    /** Paths that could mean two things: an encoded slash, a semicolon, a step upwards. */
    @Bean
    RequestRejectedHandler rejectedPaths(JsonMapper json, Refusals refusals) {
        return (request, response, rejected) -> refuse(
                response, ErrorCode.MALFORMED_REQUEST.because("the path is not one of this API"), json, refusals);
    }

    @Bean
    @GlobalServerInterceptor
    ServerInterceptor publisherAuthentication(GrpcSecurity grpc) throws Exception {
        return grpc.authorizeRequests(requests ->
                        requests.methods(OPEN_GRPC).permitAll().allRequests().authenticated())
                .oauth2ResourceServer(server -> server.jwt(Customizer.withDefaults()))
                .build();
    }

    private static void unauthenticated(HttpServletResponse response, JsonMapper json, Refusals refusals)
            throws IOException {
        // Why a token is refused helps whoever forges one more than whoever has one.
        response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        refuse(response, ErrorCode.UNAUTHENTICATED.because("a valid bearer token is needed"), json, refusals);
    }

    private static void refuse(HttpServletResponse response, Refusal refusal, JsonMapper json, Refusals refusals)
            throws IOException {
        refusals.count("rest", refusal);
        var problem = Problems.of(refusal);
        response.setStatus(problem.getStatus());
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        json.writeValue(response.getOutputStream(), problem);
    }
}
