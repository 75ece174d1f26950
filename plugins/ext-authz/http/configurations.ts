/** The lines of configuration with which gateways call a policy over HTTP. */

/** By gateway. `base` is the URL of the instance, `policy` a name. */
export function configurationsFor(base: string, policy: string): Record<string, string> {
  const url = `${base}/ext-authz/${policy}`
  const { host } = new URL(base)
  return {
    nginx: [
      'location / { auth_request /_authz; proxy_pass http://upstream; }',
      'location = /_authz {',
      '  internal;',
      `  proxy_pass ${url};`,
      '  proxy_pass_request_body off;',
      '  proxy_set_header Content-Length "";',
      '  proxy_set_header X-Original-Method $request_method;',
      '  proxy_set_header X-Original-URI $request_uri;',
      '}',
    ].join('\n'),
    traefik: [
      'http:',
      '  middlewares:',
      '    authz:',
      '      forwardAuth:',
      `        address: ${url}`,
      '        authResponseHeaders: [X-Svc-User, X-Svc-Scopes, X-Svc-Tenant]',
    ].join('\n'),
    caddy: [
      `forward_auth ${host} {`,
      `  uri /ext-authz/${policy}`,
      '  copy_headers X-Svc-User X-Svc-Scopes X-Svc-Tenant',
      '}',
    ].join('\n'),
    apisix: [
      'plugins:',
      '  forward-auth:',
      `    uri: ${url}`,
      '    request_headers: [Authorization, Cookie]',
      '    upstream_headers: [X-Svc-User, X-Svc-Scopes, X-Svc-Tenant]',
    ].join('\n'),
    envoy: [
      'http_service:',
      `  server_uri: { uri: ${base}, cluster: svc, timeout: 1s }`,
      `  path_prefix: /ext-authz/${policy}`,
      '  authorization_response:',
      '    allowed_upstream_headers: { patterns: [{ prefix: x-svc- }] }',
    ].join('\n'),
    haproxy: [`http-request lua.auth-intercept svc /ext-authz/${policy} HEAD * x-svc-* -`].join('\n'),
  }
}
