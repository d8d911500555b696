# Every image of Sallyport: build with --target service --build-arg SERVICE=<module>, or --target tools.
#
# The jars come from one of two places. `source` builds them here, from a clean checkout. `prebuilt` takes those that
# `mvn package` has left in the modules, so that a pipeline ships the very jars that it has tested.
ARG JARS=source
ARG JRE=eclipse-temurin:25-jre

FROM maven:3.9-eclipse-temurin-25 AS jars-source
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/root/.m2 \
    mvn -B -ntp -q -DskipTests package -pl local-stack -am \
 && mkdir /jars \
 && cp */target/*-exec.jar /jars/ \
 && cp -r local-stack/target/lib /lib-tools \
 && cp local-stack/target/local-stack-*.jar /lib-tools/

FROM scratch AS jars-prebuilt
COPY */target/*-exec.jar /jars/
COPY local-stack/target/lib/ /lib-tools/
COPY local-stack/target/local-stack-*.jar /lib-tools/

FROM jars-${JARS} AS jars

# A fat jar taken apart into what changes seldom and what changes with each commit.
FROM ${JRE} AS layers
ARG SERVICE
WORKDIR /layers
COPY --from=jars /jars/${SERVICE}-*-exec.jar /service.jar
RUN java -XX:TieredStopAtLevel=1 -Djarmode=tools -jar /service.jar \
      extract --layers --destination . --application-filename app.jar

FROM ${JRE} AS base
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.vendor="Sallyport" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# A number and not a name in USER, so that Kubernetes can see that it is not root. /data, and /checkpoints of cold-export,
# are the only places that are written besides /tmp; a new volume takes its owner from here.
RUN groupadd --gid 10001 sallyport \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin sallyport \
 && install -d -o 10001 -g 10001 -m 0750 /data /checkpoints
# ParallelGC: records of up to 1 MiB are humongous objects to G1, which runs out of regions while most of the heap is
# free. Half of the container for the heap: the rest is Netty's and RocksDB's memory, threads and classes. A process that
# is out of memory ends and is started again, instead of limping.
ENV JAVA_TOOL_OPTIONS="-XX:+UseParallelGC -XX:MaxRAMPercentage=50 -XX:MaxDirectMemorySize=512m -XX:+ExitOnOutOfMemoryError --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow -Dfile.encoding=UTF-8" \
    LANG=C.UTF-8
WORKDIR /app

FROM base AS tools
LABEL org.opencontainers.image.title="tools" \
      org.opencontainers.image.description="Sallyport's command line, the topic job and the credentials of a trial stack"
COPY --from=jars /lib-tools/ lib/
COPY docker/make-credentials /usr/local/bin/
COPY docker/logback-jobs.xml ./
# The mount points of the credentials job, of the fleets and of the command line. Grafana reads its own as a user of its own; the store runs as
# this one, and its volume takes its owner from here.
RUN openssl version \
 && install -d -o 10001 -g 10001 -m 0750 /data/credentials /kept \
      /credentials/authority /credentials/gateway /credentials/sensors /credentials/publishers \
      /credentials/checkpoint /credentials/export /credentials/store /credentials/store-data \
 && install -d -o 10001 -g 10001 -m 0755 /credentials/dashboards
USER 10001:10001
ENTRYPOINT ["java", "-cp", "/app/lib/*", "io.sallyport.local.Main"]

FROM base AS service
ARG SERVICE
ARG HEALTH_PORT
LABEL org.opencontainers.image.title="${SERVICE}" \
      org.opencontainers.image.description="Sallyport's ${SERVICE}; its bill of materials is META-INF/sbom/application.cdx.json in app.jar"
COPY --from=layers /layers/dependencies/ ./
COPY --from=layers /layers/spring-boot-loader/ ./
COPY --from=layers /layers/snapshot-dependencies/ ./
COPY --from=layers /layers/application/ ./
# A start up to the point where the context is there, which fills the cache of loaded and linked classes: it halves the
# time to start. Without a broker session-service gives up at its check of the topics, late enough for the cache; so what
# counts is the file and not the exit code. The same collector as later, since a cache is of one.
RUN java -XX:AOTCacheOutput=app.aot -Dspring.context.exit=onRefresh -jar app.jar \
      --server.port=0 --management.server.port=0 --spring.grpc.server.port=0 \
      --sallyport.session.listeners.token.enabled=true --sallyport.session.listeners.token.certificate=/none \
      --sallyport.session.listeners.token.private-key=/none --sallyport.session.listeners.token.jwks=/none \
      > /tmp/training.log 2>&1 || true; \
    test -s app.aot || { cat /tmp/training.log; exit 1; }; \
    rm -rf data /tmp/*
COPY docker/healthcheck /usr/local/bin/
ENV HEALTH_PORT=${HEALTH_PORT}
USER 10001:10001
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s --retries=3 CMD ["healthcheck"]
# A file /app/config/<service>.yml, where there is one, goes above the defaults in the jar.
ENTRYPOINT ["java", "-XX:AOTCache=/app/app.aot", "-jar", "/app/app.jar"]
