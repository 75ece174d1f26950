# syntax=docker/dockerfile:1
# The first stage builds the package and installs what it needs. The second stage is the image that runs.

FROM node:24-slim AS packages
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.types.json svc.yaml.example svc.schema.json README.md CHANGELOG.md LICENSE ./
COPY backends ./backends
COPY bin ./bin
COPY core ./core
COPY plugins ./plugins
COPY proto ./proto
COPY examples ./examples
COPY packing ./packing
RUN npm run build -- --out /svc \
 && npm install --prefix /svc --omit=dev --no-audit --no-fund

FROM node:24-slim
ARG SVC_GIT_SHA=
ARG SVC_VERSION=
ARG SVC_CREATED=
LABEL org.opencontainers.image.title="svc" \
      org.opencontainers.image.description="One upstream for gateway demos and tests" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.source="https://github.com/svc-upstream/svc" \
      org.opencontainers.image.documentation="https://github.com/svc-upstream/svc/tree/main/docs" \
      org.opencontainers.image.version="${SVC_VERSION}" \
      org.opencontainers.image.revision="${SVC_GIT_SHA}" \
      org.opencontainers.image.created="${SVC_CREATED}"
ENV NODE_ENV=production \
    SVC_HTTP_PORT=8080 \
    SVC_HTTPS_PORT=8443 \
    SVC_GRPC_PORT=50051 \
    SVC_GIT_SHA=${SVC_GIT_SHA}
COPY --from=packages /svc /svc
# svc.yaml is read from this folder, and the demo certificates are kept in it.
RUN mkdir /data && chown 1000:1000 /data
WORKDIR /data
VOLUME /data
# A number, so that Kubernetes can check that it is not root.
USER 1000:1000
EXPOSE 8080 8443 50051
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --start-interval=1s --retries=3 \
  CMD ["node", "/svc/bin/svc.mjs", "health"]
ENTRYPOINT ["node", "--max-semi-space-size=64", "/svc/bin/svc.mjs"]
