# syntax=docker/dockerfile:1
# The first stage builds the package and installs what it needs. The second stage is the image that runs.

FROM node:22-slim AS packages
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

FROM node:22-slim
ARG SVC_GIT_SHA=
ENV NODE_ENV=production \
    SVC_HTTP_PORT=8080 \
    SVC_HTTPS_PORT=8443 \
    SVC_GRPC_PORT=50051 \
    SVC_GIT_SHA=${SVC_GIT_SHA}
COPY --from=packages /svc /svc
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
