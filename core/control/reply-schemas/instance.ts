/** Schemas of the replies about the instance and its replicas, for the OpenAPI document. */
import {
  ANY,
  BOOLEAN,
  INTEGER,
  jsonReply,
  list,
  NUMBER,
  nullable,
  object,
  RECORD,
  TEXT,
  textReply,
} from '../../toolkit/reply-schemas.ts'

export const HEALTH = jsonReply(
  object({ status: TEXT, healthy: BOOLEAN, service: TEXT, version: TEXT, instance_id: TEXT }),
  'Health',
)

export const IDENTITY = jsonReply(
  object({
    instance_id: TEXT,
    hostname: nullable(TEXT),
    version: TEXT,
    uptime_seconds: INTEGER,
    request_count: INTEGER,
    port: object({
      http: INTEGER,
      https: nullable(INTEGER),
      grpc: nullable(INTEGER),
      listener: object({ scheme: TEXT, port: INTEGER }),
    }),
    config: object({
      host: nullable(TEXT),
      public_mode: BOOLEAN,
      trust_forward: BOOLEAN,
      body_limit: INTEGER,
      request_timeout_secs: INTEGER,
      max_delay_ms: INTEGER,
      inspector_capacity: INTEGER,
      cors_allow_origins: list(TEXT),
      admin_token_configured: BOOLEAN,
    }),
    environment: object({ node_version: TEXT, min_node_version: TEXT, profile: TEXT, os: TEXT, arch: TEXT }),
    request: object({
      method: TEXT,
      peer_ip: TEXT,
      remote_ip: TEXT,
      host: nullable(TEXT),
      scheme: TEXT,
      base_url: TEXT,
    }),
    timestamp: TEXT,
  }),
  'Identity',
)

export const SVC_VERSION = jsonReply(
  object({
    name: TEXT,
    version: TEXT,
    git_sha: nullable(TEXT),
    node_version: TEXT,
    min_node_version: TEXT,
    profile: TEXT,
    control_auth: TEXT,
    hosted_mode: BOOLEAN,
    grpc_on_http: BOOLEAN,
  }),
  'Version',
)

export const SVC_READY = jsonReply(object({ status: TEXT }), 'Ready')

export const SVC_CONFIG = jsonReply(RECORD, 'Config')

export const SVC_STATUS = jsonReply(
  object({
    name: TEXT,
    version: TEXT,
    git_sha: nullable(TEXT),
    instance_id: TEXT,
    hostname: nullable(TEXT),
    uptime_seconds: INTEGER,
    started_at: TEXT,
    healthy: BOOLEAN,
    public_mode: BOOLEAN,
    load_mode: BOOLEAN,
    admin_token_configured: BOOLEAN,
    control_auth: TEXT,
    hosted_mode: BOOLEAN,
    console: object({ title: ANY, backlink: ANY }),
    requests_open: INTEGER,
    event_loop: object({
      utilization: NUMBER,
      busiest: NUMBER,
      delay_p99_ms: nullable(NUMBER),
      delay_max_ms: nullable(NUMBER),
    }),
    identity_requests: INTEGER,
    inspector: object({ stored: INTEGER, capacity: INTEGER, total_captured: INTEGER }),
    ports: object({ http: INTEGER, https: nullable(INTEGER), grpc: nullable(INTEGER) }),
    listeners: list(
      object({
        name: TEXT,
        kind: TEXT,
        plugin: nullable(TEXT),
        address: TEXT,
        port: nullable(INTEGER),
        proxy_protocol: TEXT,
        serves: nullable(TEXT),
        connections: INTEGER,
      }),
    ),
    plugins: object({
      enabled: INTEGER,
      disabled: INTEGER,
      failed: INTEGER,
      generation: INTEGER,
      generations_open: INTEGER,
      generations_in_memory: INTEGER,
      building: ANY,
    }),
    replica: TEXT,
    replicas: INTEGER,
    state_store: ANY,
    proxy_headers: list(),
  }),
  'Status',
)

export const SVC_REPLICAS = jsonReply(
  object({
    count: INTEGER,
    self: TEXT,
    leader: TEXT,
    store: ANY,
    replicas: list(
      object({
        replica: TEXT,
        instance_id: TEXT,
        hostname: nullable(TEXT),
        version: TEXT,
        git_sha: nullable(TEXT),
        started_at: TEXT,
        seen_ms_ago: INTEGER,
        clock_offset_ms: INTEGER,
        healthy: BOOLEAN,
        generation: INTEGER,
        streams_open: INTEGER,
        requests_total: INTEGER,
        ports: object({ http: INTEGER, https: nullable(INTEGER), grpc: nullable(INTEGER) }),
        self: BOOLEAN,
      }),
    ),
  }),
  'Replicas',
)

export const SVC_METRICS = textReply('text/plain')
