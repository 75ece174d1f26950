/**
 * How gateways are configured for checks, apart from what the checks say themselves. Each line was tried with the versions
 * of `docs/gateways/matrix.md`.
 */
type Configuration = Readonly<Record<string, string>>

const PRESERVE_HOST: Configuration = { 'Apache httpd': 'ProxyPreserveHost On' }
const UNCHANGED_PATHS: Configuration = { 'Apache httpd': 'ProxyPass / http://upstream/ nocanon' }
const UNBUFFERED: Configuration = { nginx: 'proxy_buffering off;', HAProxy: 'option http-no-delay' }
const CANCELED: Configuration = {
  HAProxy: 'option abortonclose',
  Caddy: 'leave out flush_interval -1, which keeps requests of clients that have left',
}
const UPGRADES: Configuration = {
  'Apache httpd': 'ProxyPass / http://upstream/ upgrade=websocket',
  Envoy: 'upgrade_configs: [{ upgrade_type: websocket }]',
  Varnish: 'if (req.http.Upgrade ~ "(?i)^websocket$") { return (pipe); }, and copy Upgrade and Connection in vcl_pipe',
}
const GRPC: Configuration = {
  HAProxy: 'bind :50051 proto h2, and server upstream:50051 proto h2',
  Caddy: 'servers { protocols h1 h2 h2c } and reverse_proxy h2c://upstream:50051',
  Envoy: 'http2_protocol_options: {} of the cluster',
  Traefik: 'servers: [{ url: "h2c://upstream:50051" }]',
}
const NGINX_UPGRADE: Configuration = {
  nginx:
    'proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;',
}

export const CONFIGURATION: Readonly<Record<string, Configuration>> = {
  'LLM-AFFINITY': {
    LiteLLM:
      'router_settings: { optional_pre_call_checks: [responses_api_deployment_check, encrypted_content_affinity] }',
  },
  'RCH-VERSION': { nginx: 'proxy_http_version 1.1;' },
  'HDR-HOP': { nginx: 'proxy_set_header Proxy-Connection "";' },
  'HDR-HOST': PRESERVE_HOST,
  'HDR-XFF': {
    HAProxy: 'http-request set-header X-Forwarded-For %[src], and http-request del-header X-Real-IP',
    'Apache httpd': 'RequestHeader unset X-Forwarded-For early, and the same for X-Real-IP',
    Caddy: 'header_up -X-Real-IP',
    Varnish: 'set req.http.X-Forwarded-For = client.ip; unset req.http.X-Real-IP;',
    Envoy: 'request_headers_to_remove: [x-real-ip]',
  },
  'HDR-XFPROTO': {
    nginx: 'proxy_set_header X-Forwarded-Proto $scheme; and the same for -Host, -Port and -Prefix',
    HAProxy: 'http-request set-header X-Forwarded-Proto http, and http-request del-header X-Forwarded-Host',
    'Apache httpd': 'RequestHeader unset X-Forwarded-Host early, and RequestHeader set X-Forwarded-Proto http',
    Caddy: 'header_up -X-Forwarded-Port, and header_up -X-Forwarded-Prefix',
    Varnish: 'set req.http.X-Forwarded-Proto = "http"; set req.http.X-Forwarded-Host = req.http.Host;',
    Envoy: 'request_headers_to_remove: [x-forwarded-host, x-forwarded-port, x-forwarded-prefix]',
  },
  'HDR-FORWARDED': {
    nginx: 'proxy_set_header Forwarded "";',
    HAProxy: 'http-request del-header Forwarded',
    'Apache httpd': 'RequestHeader unset Forwarded early',
    Caddy: 'header_up -Forwarded',
    Varnish: 'unset req.http.Forwarded;',
    Envoy: 'request_headers_to_remove: [forwarded]',
  },
  'TGT-ENCSLASH': { 'Apache httpd': 'AllowEncodedSlashes NoDecode, and nocanon in ProxyPass' },
  'TGT-DOT': UNCHANGED_PATHS,
  'TGT-MERGE': UNCHANGED_PATHS,
  'TGT-UNRES': UNCHANGED_PATHS,
  'TGT-PARAM': UNCHANGED_PATHS,
  'TGT-RAW': UNCHANGED_PATHS,
  'STR-UPLOAD': { nginx: 'proxy_request_buffering off;' },
  'STR-BIDI': { nginx: 'proxy_request_buffering off; proxy_buffering off;' },
  'STR-BUFFER': UNBUFFERED,
  'STR-SSE': UNBUFFERED,
  'STR-SSE-GZIP': UNBUFFERED,
  'STR-ABORT': CANCELED,
  'STR-LIMIT': { nginx: 'client_max_body_size 0;' },
  'CON-REUSE': { nginx: 'keepalive 32; in upstream, with proxy_http_version 1.1; and an empty Connection' },
  'CON-HEADERS': { 'Apache httpd': 'LimitRequestFieldSize 65536' },
  'WS-OPEN': UPGRADES,
  'WS-BYTES': { ...NGINX_UPGRADE, ...UPGRADES },
  'WS-PING': { ...NGINX_UPGRADE, ...UPGRADES },
  'WS-CLOSE': { ...NGINX_UPGRADE, ...UPGRADES },
  'GRPC-CALLS': GRPC,
  'GRPC-STATUS': GRPC,
  'GRPC-DEADLINE': GRPC,
  'LLM-TTFT': UNBUFFERED,
  'LLM-GAP': UNBUFFERED,
  'LLM-CANCEL': CANCELED,
  'MCP-CANCEL': CANCELED,
  'MCP-AUTH': PRESERVE_HOST,
  'A2A-CARD': PRESERVE_HOST,
  'OAU-ISSUER': PRESERVE_HOST,
}
