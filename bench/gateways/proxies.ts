/** Configurations of proxies: the shortest one that forwards, and a recommended one. */
import type { GatewayConfiguration, GatewayFacts } from './configuration.ts'

/** gRPC has a separate port. */
const grpcPort = ({ grpc }: GatewayFacts): string => `grpc: http://127.0.0.1:${grpc}\n`

const nginx = (kind: GatewayConfiguration['kind'], server: string): GatewayConfiguration => ({
  product: 'nginx',
  kind,
  program: 'nginx',
  version: ['-v'],
  file: 'nginx.conf',
  text: ({ up, upGrpc, port, grpc, folder }) => `daemon off;
error_log ${folder}/error.log;
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream svc { server 127.0.0.1:${up};${kind === 'recommended' ? ' keepalive 32;' : ''} }
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${port};
${server}
  }${
    kind === 'recommended'
      ? `
  server {
    listen 127.0.0.1:${grpc} http2;
    grpc_read_timeout 1h;
    location / { grpc_pass grpc://127.0.0.1:${upGrpc}; }
  }`
      : ''
  }
}
`,
  arguments: file => ['-c', file],
  ...(kind === 'recommended' ? { routes: grpcPort } : {}),
})

const haproxy = (kind: GatewayConfiguration['kind'], defaults: string, backend: string): GatewayConfiguration => ({
  product: 'HAProxy',
  kind,
  program: 'haproxy',
  version: ['-v'],
  file: 'haproxy.cfg',
  text: ({ up, upGrpc, port, grpc }) => `defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
${defaults}
frontend web
  bind 127.0.0.1:${port}
  default_backend svc
backend svc
${backend}  server svc 127.0.0.1:${up}
${
  kind === 'recommended'
    ? `frontend grpc
  bind 127.0.0.1:${grpc} proto h2
  default_backend svc_grpc
backend svc_grpc
  server svc 127.0.0.1:${upGrpc} proto h2
`
    : ''
}`,
  arguments: file => ['-db', '-f', file],
  ...(kind === 'recommended' ? { routes: grpcPort } : {}),
})

const apache = (kind: GatewayConfiguration['kind'], more: string): GatewayConfiguration => ({
  product: 'Apache httpd',
  kind,
  program: 'apache2',
  version: ['-v'],
  file: 'httpd.conf',
  text: ({ up, port, folder }) => `ServerRoot ${folder}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${folder}/httpd.pid
ErrorLog ${folder}/error.log
DefaultRuntimeDir ${folder}
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so
LoadModule proxy_http_module /usr/lib/apache2/modules/mod_proxy_http.so
LoadModule headers_module /usr/lib/apache2/modules/mod_headers.so
${more}
ProxyPass / http://127.0.0.1:${up}/${kind === 'recommended' ? ' nocanon flushpackets=on upgrade=websocket' : ''}
ProxyPassReverse / http://127.0.0.1:${up}/
`,
  arguments: file => ['-X', '-f', file],
})

const caddy = (kind: GatewayConfiguration['kind'], block: string): GatewayConfiguration => ({
  product: 'Caddy',
  kind,
  program: 'caddy',
  version: ['version'],
  file: 'Caddyfile',
  text: ({ up, upGrpc, port }) => `{
  admin off
  auto_https off${kind === 'recommended' ? '\n  servers {\n    protocols h1 h2 h2c\n  }' : ''}
}
http://:${port} {
  bind 127.0.0.1
${kind === 'recommended' ? `  reverse_proxy /svc.echo.v1.EchoService/* h2c://127.0.0.1:${upGrpc}\n` : ''}  reverse_proxy 127.0.0.1:${up}${block}
}
`,
  arguments: file => ['run', '--adapter', 'caddyfile', '--config', file],
  ...(kind === 'recommended' ? { probe: () => ['--h2'] } : {}),
})

const varnish = (kind: GatewayConfiguration['kind'], more: string): GatewayConfiguration => ({
  product: 'Varnish',
  kind,
  program: 'varnishd',
  version: ['-V'],
  file: 'default.vcl',
  text: ({ up }) => `vcl 4.1;
backend default { .host = "127.0.0.1"; .port = "${up}"; }
${more}`,
  arguments: (file, { port, folder }) => ['-F', '-n', `${folder}/varnish`, '-a', `127.0.0.1:${port}`, '-f', file],
})

const squid = (kind: GatewayConfiguration['kind'], peer: string, more: string): GatewayConfiguration => ({
  product: 'Squid',
  kind,
  program: 'squid',
  version: ['-v'],
  file: 'squid.conf',
  text: ({ up, port, folder }) => `http_port 127.0.0.1:${port} accel vhost
cache_peer 127.0.0.1 parent ${up} 0 no-query originserver${peer}
http_access allow all
pid_filename none
access_log none
cache_log /dev/null
coredump_dir ${folder}
shutdown_lifetime 1 second
${more}`,
  arguments: file => ['-N', '-f', file],
})

const lighttpd = (kind: GatewayConfiguration['kind'], more: string): GatewayConfiguration => ({
  product: 'lighttpd',
  kind,
  program: 'lighttpd',
  version: ['-v'],
  file: 'lighttpd.conf',
  text: ({ up, port, folder }) => `server.bind = "127.0.0.1"
server.port = ${port}
server.document-root = "${folder}"
server.errorlog = "${folder}/error.log"
server.modules = ("mod_setenv", "mod_proxy")
proxy.server = ("" => (("host" => "127.0.0.1", "port" => ${up})))
${more}`,
  arguments: file => ['-D', '-f', file],
})

const nghttpx = (kind: GatewayConfiguration['kind'], more: string): GatewayConfiguration => ({
  product: 'nghttpx',
  kind,
  program: 'nghttpx',
  version: ['--version'],
  file: 'nghttpx.conf',
  text: ({ up, port }) => `frontend=127.0.0.1,${port};no-tls
backend=127.0.0.1,${up}
accesslog-file=/dev/null
errorlog-file=/dev/null
${more}`,
  arguments: file => ['--conf', file],
  ...(kind === 'recommended' ? { probe: () => ['--h2'] } : {}),
})

const traefik = (
  kind: GatewayConfiguration['kind'],
  routers: string,
  services: (facts: GatewayFacts) => string,
): GatewayConfiguration => ({
  product: 'Traefik',
  kind,
  program: 'traefik',
  version: ['version'],
  file: 'dynamic.yml',
  text: facts => `http:
  routers:
    svc: { rule: "PathPrefix(\`/\`)", service: svc }
${routers}  services:
    svc: { loadBalancer: { servers: [{ url: "http://127.0.0.1:${facts.up}" }] } }
${services(facts)}`,
  arguments: (file, { port }) => [
    `--entrypoints.web.address=127.0.0.1:${port}`,
    `--providers.file.filename=${file}`,
    '--global.checknewversion=false',
    '--global.sendanonymoususage=false',
  ],
  ...(kind === 'recommended' ? { probe: () => ['--h2'] } : {}),
})

const envoy = (
  kind: GatewayConfiguration['kind'],
  {
    manager,
    trusted,
    routes,
    clusters,
  }: { manager: string; trusted: string; routes: string; clusters: (facts: GatewayFacts) => string },
): GatewayConfiguration => ({
  product: 'Envoy',
  kind,
  program: 'envoy',
  version: ['--version'],
  file: 'envoy.yaml',
  text: facts => `static_resources:
  listeners:
    - address: { socket_address: { address: 127.0.0.1, port_value: ${facts.port} } }
      filter_chains:
        - filters:
            - name: envoy.filters.network.http_connection_manager
              typed_config:
                "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                stat_prefix: web
${manager}                route_config:
${trusted}                  virtual_hosts:
                    - name: all
                      domains: ["*"]
                      routes:
${routes}
                http_filters:
                  - name: envoy.filters.http.router
                    typed_config: { "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router }
  clusters:
    - name: svc
      type: STATIC
      load_assignment:
        cluster_name: svc
        endpoints: [{ lb_endpoints: [{ endpoint: { address: { socket_address: { address: 127.0.0.1, port_value: ${facts.up} } } } }] }]
${clusters(facts)}`,
  arguments: file => ['-c', file, '--log-level', 'error', '--disable-hot-restart', '--concurrency', '1'],
  ...(kind === 'recommended' ? { probe: () => ['--h2'] } : {}),
})

export const PROXIES: readonly GatewayConfiguration[] = [
  nginx('default', '    location / { proxy_pass http://svc; }'),
  nginx(
    'recommended',
    `    client_max_body_size 0;
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Real-IP $remote_addr;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-Forwarded-Host $http_host;
    proxy_set_header X-Forwarded-Port $server_port;
    proxy_set_header X-Forwarded-Prefix "";
    proxy_set_header Forwarded "";
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection $connection_upgrade;
    proxy_set_header Proxy-Connection "";
    proxy_buffering off;
    proxy_request_buffering off;
    location / { proxy_pass http://svc; }`,
  ),
  haproxy('default', '', ''),
  haproxy(
    'recommended',
    '  option http-no-delay\n  option abortonclose\n  retries 0',
    `  http-request del-header X-Real-IP
  http-request del-header Forwarded
  http-request del-header X-Forwarded-Host
  http-request del-header X-Forwarded-Port
  http-request del-header X-Forwarded-Prefix
  http-request set-header X-Forwarded-Proto http
  http-request set-header X-Forwarded-For %[src]
  http-request del-header Proxy-Connection
`,
  ),
  apache('default', ''),
  apache(
    'recommended',
    `AllowEncodedSlashes NoDecode
ProxyPreserveHost On
LimitRequestFieldSize 65536
RequestHeader unset Forwarded early
RequestHeader unset X-Forwarded-For early
RequestHeader unset X-Forwarded-Host early
RequestHeader unset X-Forwarded-Port early
RequestHeader unset X-Forwarded-Prefix early
RequestHeader unset X-Real-IP early
RequestHeader set X-Forwarded-Proto http`,
  ),
  varnish('default', ''),
  varnish(
    'recommended',
    `sub vcl_recv {
  unset req.http.Forwarded;
  unset req.http.X-Forwarded-Port;
  unset req.http.X-Forwarded-Prefix;
  unset req.http.X-Real-IP;
  set req.http.X-Forwarded-For = client.ip;
  set req.http.X-Forwarded-Proto = "http";
  set req.http.X-Forwarded-Host = req.http.Host;
  if (req.http.Upgrade ~ "(?i)^websocket$") { return (pipe); }
  return (pass);
}
sub vcl_pipe {
  if (req.http.Upgrade) {
    set bereq.http.Upgrade = req.http.Upgrade;
    set bereq.http.Connection = req.http.Connection;
  }
}
`,
  ),
  caddy('default', ''),
  caddy(
    'recommended',
    ` {
    flush_interval -1
    header_up -X-Real-IP
    header_up -Forwarded
    header_up -X-Forwarded-Port
    header_up -X-Forwarded-Prefix
  }`,
  ),
  traefik('default', '', () => ''),
  traefik(
    'recommended',
    '    grpc: { rule: "PathPrefix(`/svc.echo.v1.EchoService`)", service: grpc }\n',
    ({ upGrpc }) => `    grpc: { loadBalancer: { servers: [{ url: "h2c://127.0.0.1:${upGrpc}" }] } }\n`,
  ),
  envoy('default', {
    manager: '',
    trusted: '',
    routes: '                        - { match: { prefix: / }, route: { cluster: svc } }',
    clusters: () => '',
  }),
  envoy('recommended', {
    manager: `                use_remote_address: true
                preserve_external_request_id: true
                stream_idle_timeout: 0s
                upgrade_configs: [{ upgrade_type: websocket }]
                http_protocol_options: { enable_trailers: true }
`,
    trusted: `                  request_headers_to_remove: [x-real-ip, forwarded, x-forwarded-host, x-forwarded-port, x-forwarded-prefix]
`,
    routes: `                        - { match: { prefix: /svc.echo.v1.EchoService/ }, route: { cluster: grpc, timeout: 0s } }
                        - { match: { prefix: / }, route: { cluster: svc, timeout: 0s } }`,
    clusters: ({ upGrpc }) => `    - name: grpc
      type: STATIC
      load_assignment:
        cluster_name: grpc
        endpoints: [{ lb_endpoints: [{ endpoint: { address: { socket_address: { address: 127.0.0.1, port_value: ${upGrpc} } } } }] }]
      typed_extension_protocol_options:
        envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
          "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
          explicit_http_config: { http2_protocol_options: {} }
`,
  }),
  squid('default', '', ''),
  squid(
    'recommended',
    ' login=PASSTHRU',
    `cache deny all
forwarded_for truncate
request_header_access X-Real-IP deny all
request_header_access Forwarded deny all
request_header_access X-Forwarded-Host deny all
request_header_access X-Forwarded-Port deny all
request_header_access X-Forwarded-Proto deny all
request_header_access X-Forwarded-Prefix deny all
http_upgrade_request_protocols websocket allow all
`,
  ),
  lighttpd('default', ''),
  lighttpd(
    'recommended',
    `proxy.header = ("upgrade" => "enable")
server.stream-request-body = 1
server.stream-response-body = 2
setenv.set-request-header = ("X-Real-IP" => "", "Forwarded" => "", "X-Forwarded-For" => "", "X-Forwarded-Host" => "", "X-Forwarded-Port" => "", "X-Forwarded-Prefix" => "")
`,
  ),
  nghttpx('default', ''),
  nghttpx(
    'recommended',
    `add-x-forwarded-for=yes
strip-incoming-x-forwarded-for=yes
strip-incoming-forwarded=yes
`,
  ),
]
