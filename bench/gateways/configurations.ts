/** Configurations of the gateways: the shortest one that forwards, and a recommended one. */

export interface GatewayConfiguration {
  /** Name in the table. */
  product: string
  kind: 'default' | 'recommended'
  program: string
  /** Prints the version. */
  version: readonly string[]
  file: string
  /** `up` and `port` are the ports of the upstream and of the gateway; `folder` is writable. */
  text(facts: { up: number; port: number; folder: string }): string
  arguments(file: string, facts: { up: number; port: number; folder: string }): string[]
  environment?: Record<string, string>
}

const nginx = (kind: GatewayConfiguration['kind'], server: (up: number) => string): GatewayConfiguration => ({
  product: 'nginx',
  kind,
  program: 'nginx',
  version: ['-v'],
  file: 'nginx.conf',
  text: ({ up, port, folder }) => `daemon off;
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
${server(up)}
  }
}
`,
  arguments: file => ['-c', file],
})

const haproxy = (kind: GatewayConfiguration['kind'], defaults: string, backend: string): GatewayConfiguration => ({
  product: 'HAProxy',
  kind,
  program: 'haproxy',
  version: ['-v'],
  file: 'haproxy.cfg',
  text: ({ up, port }) => `defaults
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
`,
  arguments: file => ['-db', '-f', file],
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
ProxyPass / http://127.0.0.1:${up}/${kind === 'recommended' ? ' nocanon flushpackets=on' : ''}
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
  text: ({ up, port }) => `{
  admin off
  auto_https off
}
http://:${port} {
  bind 127.0.0.1
  reverse_proxy 127.0.0.1:${up}${block}
}
`,
  arguments: file => ['run', '--adapter', 'caddyfile', '--config', file],
})

export const GATEWAYS: readonly GatewayConfiguration[] = [
  nginx('default', () => '    location / { proxy_pass http://svc; }'),
  nginx(
    'recommended',
    () => `    client_max_body_size 0;
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
  {
    product: 'Varnish',
    kind: 'default',
    program: 'varnishd',
    version: ['-V'],
    file: 'default.vcl',
    text: ({ up }) => `vcl 4.1;
backend default { .host = "127.0.0.1"; .port = "${up}"; }
`,
    arguments: (file, { port, folder }) => ['-F', '-n', `${folder}/varnish`, '-a', `127.0.0.1:${port}`, '-f', file],
  },
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
  {
    product: 'Traefik',
    kind: 'default',
    program: 'traefik',
    version: ['version'],
    file: 'dynamic.yml',
    text: ({ up }) => `http:
  routers:
    svc: { rule: "PathPrefix(\`/\`)", service: svc }
  services:
    svc: { loadBalancer: { servers: [{ url: "http://127.0.0.1:${up}" }] } }
`,
    arguments: (file, { port }) => [
      `--entrypoints.web.address=127.0.0.1:${port}`,
      `--providers.file.filename=${file}`,
      '--global.checknewversion=false',
      '--global.sendanonymoususage=false',
    ],
  },
  {
    product: 'Envoy',
    kind: 'default',
    program: 'envoy',
    version: ['--version'],
    file: 'envoy.yaml',
    text: ({ up, port }) => `static_resources:
  listeners:
    - address: { socket_address: { address: 127.0.0.1, port_value: ${port} } }
      filter_chains:
        - filters:
            - name: envoy.filters.network.http_connection_manager
              typed_config:
                "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                stat_prefix: web
                route_config:
                  virtual_hosts:
                    - { name: all, domains: ["*"], routes: [{ match: { prefix: / }, route: { cluster: svc } }] }
                http_filters:
                  - name: envoy.filters.http.router
                    typed_config: { "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router }
  clusters:
    - name: svc
      type: STATIC
      load_assignment:
        cluster_name: svc
        endpoints: [{ lb_endpoints: [{ endpoint: { address: { socket_address: { address: 127.0.0.1, port_value: ${up} } } } }] }]
`,
    arguments: file => ['-c', file, '--log-level', 'error', '--disable-hot-restart', '--concurrency', '1'],
  },
]
