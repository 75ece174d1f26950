/** Schemas of the responses, for the OpenAPI document. */
import {
  ANY,
  BOOLEAN,
  INTEGER,
  NUMBER,
  jsonReply,
  list,
  nullable,
  object,
  RECORD,
  TEXT,
  textReply,
  typed,
} from '../toolkit/reply-schemas.ts'

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
    admin_token_configured: BOOLEAN,
    control_auth: TEXT,
    hosted_mode: BOOLEAN,
    console: object({ title: ANY, backlink: ANY }),
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

export const SVC_CATALOG = jsonReply(
  object({
    base_url: TEXT,
    version: TEXT,
    count: INTEGER,
    categories: list(object({ name: TEXT, count: INTEGER })),
    endpoints: list(
      object({
        path: TEXT,
        methods: list(TEXT),
        expanded_methods: list(TEXT),
        category: TEXT,
        summary: TEXT,
        description: TEXT,
        protocol: TEXT,
        endless: BOOLEAN,
        plugin: nullable(TEXT),
        examples: list(
          object({
            name: TEXT,
            method: TEXT,
            path: TEXT,
            headers: list(RECORD),
            body: nullable(TEXT),
            body_type: nullable(TEXT),
            auth: nullable(RECORD),
            expect_status: nullable(INTEGER),
          }),
        ),
      }),
    ),
  }),
  'Catalog',
)

export const SVC_PLUGINS = jsonReply(
  object({
    generation: INTEGER,
    loaded_at: TEXT,
    building: ANY,
    config_file: ANY,
    directories: list(),
    counts: object({ enabled: INTEGER, disabled: INTEGER, failed: INTEGER }),
    load_errors: list(),
    plugins: list(
      object({
        name: TEXT,
        title: TEXT,
        version: TEXT,
        description: TEXT,
        source: TEXT,
        path: ANY,
        state: TEXT,
        disabled_by: ANY,
        routes: INTEGER,
        paths: list(TEXT),
        error: ANY,
        stale: BOOLEAN,
        generation: INTEGER,
        faults: RECORD,
        builds_on: list(TEXT),
        uses: list(TEXT),
        options: ANY,
      }),
    ),
  }),
  'Plugins',
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

const HEADER = object({ name: TEXT, value: TEXT })

const CAPTURED = typed(
  'CapturedRequest',
  object(
    { id: TEXT, method: TEXT, path: TEXT },
    {
      request_id: TEXT,
      timestamp: TEXT,
      uri: TEXT,
      query: nullable(TEXT),
      version: TEXT,
      headers: list(HEADER),
      client_ip: TEXT,
      session: nullable(TEXT),
      body: nullable(TEXT),
      body_base64: nullable(TEXT),
      body_size: INTEGER,
      body_truncated: BOOLEAN,
      body_decoded: nullable(TEXT),
      status: INTEGER,
      latency_ms: NUMBER,
      grpc_status: nullable(INTEGER),
      fault: nullable(TEXT),
      fault_source: nullable(TEXT),
      end_reason: nullable(TEXT),
      rule: nullable(TEXT),
      tags: list(TEXT),
    },
  ),
)

export const SVC_REQUESTS = jsonReply(
  object(
    { count: INTEGER, capacity: INTEGER, public_mode: BOOLEAN, requests: list(CAPTURED) },
    { satisfied: BOOLEAN, waited_ms: INTEGER },
  ),
  'RequestPage',
)

const CONNECTION_ENTRY = object({
  id: TEXT,
  kind: TEXT,
  listener: TEXT,
  mode: nullable(TEXT),
  started_at: TEXT,
  ended_at: nullable(TEXT),
  duration_ms: nullable(NUMBER),
  client_ip: TEXT,
  peer: RECORD,
  local: RECORD,
  session: nullable(TEXT),
  proxy_protocol: ANY,
  tls: ANY,
  received: RECORD,
  sent: RECORD,
  directives: list(TEXT),
  fault: nullable(TEXT),
  end: TEXT,
  error: nullable(TEXT),
})

export const CONNECTION = jsonReply(CONNECTION_ENTRY, 'Connection')

export const CONNECTIONS = jsonReply(
  object(
    { count: INTEGER, capacity: INTEGER, connections: list(CONNECTION_ENTRY) },
    { satisfied: BOOLEAN, waited_ms: INTEGER },
  ),
  'Connections',
)

export const CONNECTIONS_DELETE = jsonReply(object({ cleared: INTEGER }, { session: TEXT }), 'ConnectionsDelete')

export const SVC_REQUESTS_DELETE = jsonReply(object({ cleared: INTEGER }, { session: TEXT }), 'RequestsDelete')

export const SVC_REQUESTS_EXPORT = {
  ...jsonReply(
    object({ log: object({ version: TEXT, creator: object({ name: TEXT, version: TEXT }), entries: list() }) }),
    'RequestsExport',
  ),
  ...textReply('text/plain'),
}

export const SVC_VERIFY_POST = jsonReply(
  object(
    { verified: BOOLEAN, count: INTEGER, expected: TEXT, waited_ms: INTEGER },
    { requests: list(), records: list(TEXT) },
  ),
  'Verified',
)

export const VERIFICATION_FAILED = jsonReply(
  object(
    { verified: BOOLEAN, error: TEXT, expected: TEXT, count: INTEGER, waited_ms: INTEGER, message: TEXT },
    { looked_at: INTEGER, missing: INTEGER, requests: list(), closest: list(RECORD), dropped: INTEGER },
  ),
  'VerificationFailure',
)

export const SVC_METRICS = textReply('text/plain')

export const SVC_USAGE = jsonReply(
  object({
    plan: TEXT,
    active: BOOLEAN,
    scope: TEXT,
    limits: object({
      active: BOOLEAN,
      scope: TEXT,
      period: TEXT,
      rps: ANY,
      burst: ANY,
      concurrency: ANY,
      streams: ANY,
      stream_lifetime_secs: ANY,
      requests: ANY,
      egress_bytes: ANY,
      usage_file_configured: BOOLEAN,
    }),
    period: object({ kind: TEXT, start: TEXT, end: TEXT, resets_in_secs: INTEGER }),
    requests: object({ used: INTEGER, limit: ANY, remaining: ANY }),
    egress: object({ used_bytes: INTEGER, limit_bytes: ANY, remaining_bytes: ANY }),
    rate: object({ rps: ANY, burst: ANY, available: ANY }),
    in_flight: object({ current: INTEGER, limit: ANY }),
    open_streams: object({ current: INTEGER, limit: ANY, lifetime_secs: ANY }),
    persisted: BOOLEAN,
    instance_id: TEXT,
    control_auth: TEXT,
    build: object({ version: TEXT, git_sha: nullable(TEXT), profile: TEXT }),
  }),
  'Usage',
)

export const SVC_KEYS_USAGE = jsonReply(
  object({
    shared_mode: BOOLEAN,
    require_key: BOOLEAN,
    instance_id: TEXT,
    registry: ANY,
    quota_store: object({ configured: BOOLEAN, up: BOOLEAN }),
    period: object({ kind: TEXT, start: TEXT, end: TEXT, resets_in_secs: INTEGER }),
    count: INTEGER,
    keys: list(),
  }),
  'KeysUsage',
)

const STORED_RULE = typed(
  'StoredRule',
  object(
    { name: TEXT, match: RECORD, then: ANY, priority: INTEGER, hits: INTEGER, enabled: BOOLEAN, scope: TEXT },
    {
      skip: INTEGER,
      every: INTEGER,
      sample: NUMBER,
      seed: nullable(TEXT),
      times: nullable(INTEGER),
      loop: BOOLEAN,
      count: TEXT,
      description: TEXT,
      session: nullable(TEXT),
      source: TEXT,
      file: nullable(TEXT),
      line: nullable(INTEGER),
      matches: INTEGER,
      step: nullable(INTEGER),
      state: TEXT,
      last_hit_at: nullable(TEXT),
      created_at: nullable(TEXT),
      expires_at: nullable(TEXT),
    },
  ),
)

export const SVC_RULES = jsonReply(
  object({
    count: INTEGER,
    session: nullable(TEXT),
    limits: object({
      instance_rules: INTEGER,
      session_rules: INTEGER,
      rule_bytes: INTEGER,
      steps: INTEGER,
      tests: INTEGER,
    }),
    rules: list(STORED_RULE),
  }),
  'Rules',
)

export const SVC_RULES_PUT = jsonReply(STORED_RULE)

export const SVC_RULES_POST = jsonReply(object({ count: INTEGER, rules: list(STORED_RULE) }), 'RulesPost')

export const SVC_RULES_DELETE = jsonReply(object({ removed: INTEGER }), 'RulesDelete')

export const SVC_SCENARIOS = jsonReply(object({ count: INTEGER, scenarios: list() }), 'Scenarios')

export const SVC_SCENARIOS_PUT = jsonReply(
  object({ name: TEXT, state: TEXT, scope: TEXT, session: nullable(TEXT) }),
  'ScenariosPut',
)

export const SVC_PLUGIN = jsonReply(
  object(
    { name: TEXT, title: TEXT, state: TEXT },
    { version: TEXT, routes: INTEGER, routes_list: list(RECORD), error: ANY },
  ),
  'Plugin',
)

export const SVC_RELOAD = jsonReply(RECORD, 'Reload')

export const CAPTURED_REQUEST = jsonReply(CAPTURED)

export const RESET = jsonReply(
  object({ scope: TEXT, session: nullable(TEXT), removed: { type: 'object', additionalProperties: INTEGER } }),
  'ResetResult',
)

export const RULE = jsonReply(STORED_RULE)
