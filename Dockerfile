# syntax=docker/dockerfile:1
# The first stage installs the packages and bundles the code, as npm pack does. The second stage is the image that runs.

FROM node:22-slim AS packages
WORKDIR /svc
COPY package.json package-lock.json ./
COPY packing ./packing
RUN npm ci --omit=dev --no-audit --no-fund
COPY bin ./bin
COPY core ./core
COPY plugins ./plugins
COPY proto ./proto
# Bundled packages don't have to be installed any more; only the optional ones do (OpenTelemetry, Redis).
RUN node --import tsx packing/build.ts \
 && npm ci --omit=dev --no-audit --no-fund --workspace=svc-optional --include-workspace-root

FROM node:22-slim
ARG SVC_GIT_SHA=
ENV NODE_ENV=production \
    SVC_HTTP_PORT=8080 \
    SVC_HTTPS_PORT=8443 \
    SVC_GRPC_PORT=50051 \
    SVC_GIT_SHA=${SVC_GIT_SHA}
COPY --from=packages /svc/node_modules /svc/node_modules
COPY --from=packages /svc/dist /svc/dist
COPY package.json /svc/
COPY bin /svc/bin
COPY core /svc/core
COPY plugins /svc/plugins
COPY proto /svc/proto
# svc.yaml is read from this folder, and the demo certificates are kept in it.
RUN mkdir /data && chown node:node /data
WORKDIR /data
VOLUME /data
USER node
EXPOSE 8080 8443 50051
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --start-interval=1s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SVC_HTTP_PORT}/_svc/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/svc/bin/svc.mjs"]
