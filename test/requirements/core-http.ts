/** Rules of the pure functions behind the request pipeline. */
export default [
  {
    id: 'HEAD-1',
    rule: 'if a field is repeated, the first line counts; a comma inside one line does not split it',
    where: 'core 4.1, 8, 9',
  },
  {
    id: 'IP-1',
    rule: 'without trust the client IP is the TCP peer, with IPv4-mapped addresses shown as IPv4, whatever the headers contain',
    where: 'core 6',
  },
  {
    id: 'IP-2',
    rule: 'an address is IPv4 or IPv6 with optional port, brackets and quotes; names, _hidden, unknown and zone ids are not addresses',
    where: 'core 6',
  },
  {
    id: 'IP-3',
    rule: 'the sources are checked in this order: Fly-Client-IP, Forwarded, X-Forwarded-For, X-Real-IP, peer',
    where: 'core 6',
  },
  {
    id: 'IP-4',
    rule: 'among several addresses the rightmost one that is not internal is used, else the leftmost valid one',
    where: 'core 6',
  },
  {
    id: 'IP-5',
    rule: 'only the first 32 Forwarded elements and the first 64 X-Forwarded-For entries are read',
    where: 'core 6',
  },
  {
    id: 'IP-6',
    rule: 'loopback, private, link-local, shared, unspecified and unique-local addresses are internal, mapped forms too',
    where: 'core 6',
  },
  {
    id: 'ORIGIN-1',
    rule: 'the origin is the scheme of the listener with Host or :authority, without default ports',
    where: 'core 6',
  },
  {
    id: 'ORIGIN-2',
    rule: 'without a usable Host the origin is the bind address, or localhost for a wildcard, with the port of the listener',
    where: 'core 6',
  },
  {
    id: 'ORIGIN-3',
    rule: 'trusted X-Forwarded-Proto, -Host and -Port take precedence over the first Forwarded element, which takes precedence over Host',
    where: 'core 6',
  },
  { id: 'ORIGIN-4', rule: 'a forwarded scheme alone drops the port of Host', where: 'core 6' },
  {
    id: 'ORIGIN-5',
    rule: 'invalid forwarded values are skipped, and without trust all of them are ignored',
    where: 'core 6',
  },
  {
    id: 'ORIGIN-6',
    rule: 'a forwarded prefix has one leading slash, no trailing one, path characters, no .. segment and at most 256 characters',
    where: 'core 6',
  },
  {
    id: 'PREFIX-1',
    rule: 'the trusted X-Forwarded-Prefix, else SVC_BASE_PATH, is part of every URL, Location and link that the service generates',
    where: 'core 6',
  },
  {
    id: 'PREFIX-2',
    rule: 'with SVC_BASE_PATH every route is served below that path as well as at the root, by HTTP, upgrades and gRPC-Web',
    where: 'core 6',
  },
  {
    id: 'PREFIX-3',
    rule: 'the base path is removed before any decision by path: protection and exemptions also apply below it',
    where: 'core 6',
  },
  {
    id: 'PREFIX-4',
    rule: '/.well-known/<name><base path>/<rest> is served as /.well-known/<name>/<rest>',
    where: 'core 6 (RFC 8414, RFC 9728)',
  },
  { id: 'PREFIX-5', rule: 'only svc.http generates URLs', where: 'core 6' },
  { id: 'PREFIX-6', rule: 'OIDC and MCP clients work through a gateway that strips a prefix', where: 'core 6' },
  {
    id: 'PATH-1',
    rule: 'rules use the path without query, decoded as the router decodes it',
    where: 'limits 1, core 4',
  },
  { id: 'PATH-2', rule: 'an absolute request target is matched by its path', where: 'core 4' },
  { id: 'PATH-3', rule: 'malformed percent-encoding is not a valid path', where: 'core 4.4' },
  {
    id: 'PATH-4',
    rule: 'a path is below a prefix if it equals the prefix or continues it after a slash',
    where: 'core 4, limits 1',
  },
  {
    id: 'SESSION-1',
    rule: 'a header of 1 to 128 characters A-Za-z0-9._:- is the session name; otherwise the client address is used',
    where: 'core 9',
  },
  { id: 'SESSION-2', rule: 'an invalid session header is ignored, never truncated', where: 'core 9, 11' },
  {
    id: 'SESSION-3',
    rule: 'header and address sessions are displayed the same way and have different keys',
    where: 'core 9',
  },
  {
    id: 'FAULT-1',
    rule: 'a delay is a whole number of milliseconds, with spaces ignored, capped at the limit; anything else is ignored',
    where: 'core 8, 11',
  },
  {
    id: 'FAULT-2',
    rule: 'a fail value is a status from 400 to 599 with an optional percentage of 0 to 100; anything else is ignored',
    where: 'core 8, 11',
  },
  { id: 'FAULT-3', rule: 'each request fails independently with the probability of the percentage', where: 'core 8' },
  {
    id: 'FAULT-4',
    rule: 'the injected body contains the status, its standard phrase or Error, the percentage and the header',
    where: 'core 8',
  },
  {
    id: 'FAULT-20',
    rule: 'a fault header that cannot be parsed has no effect, and the response lists it in X-Svc-Ignored',
    where: 'core 8',
  },
  {
    id: 'FAIL-1',
    rule: 'responses of the framework have the documented fields and sentences',
    where: 'core 4.2 to 4.4, 10.5',
  },
  {
    id: 'ACCEPT-1',
    rule: 'the most specific range determines the q of a type, the highest q wins, ties are resolved by server order',
    where: 'core 7',
  },
  { id: 'ACCEPT-2', rule: 'no acceptable type, no header and invalid values give JSON', where: 'core 7, 11' },
  {
    id: 'ACCEPT-3',
    rule: 'a page type with a q at least as high as that of the XML type gives JSON',
    where: 'core 7',
  },
  {
    id: 'ACCEPT-4',
    rule: 'names are case-insensitive, other parameters are ignored, q above 1 counts as 1, an invalid q drops the range, 64 ranges are read',
    where: 'core 7',
  },
  {
    id: 'XML-1',
    rule: 'objects, arrays, null, empty strings and scalars have a defined form under the root response',
    where: 'core 7',
  },
  { id: 'XML-2', rule: 'a key that is not a safe name becomes an entry with the attribute key', where: 'core 7' },
  {
    id: 'XML-3',
    rule: 'markup and carriage returns are escaped, in attributes tabs and line feeds too',
    where: 'core 7',
  },
  { id: 'XML-4', rule: 'characters that XML 1.0 forbids become U+FFFD', where: 'core 7' },
  { id: 'XML-5', rule: 'values nested deeper than 64 levels are written as JSON text', where: 'core 7' },
  { id: 'CORS-1', rule: 'with * every response allows every origin and lists the exposed headers', where: 'core 5' },
  {
    id: 'CORS-2',
    rule: 'with a list, listed origins are allowed and every response varies by Origin',
    where: 'core 5',
  },
  {
    id: 'CORS-3',
    rule: 'a preflight response echoes method and headers, allows 600 s and varies by all three',
    where: 'core 5',
  },
  { id: 'CORS-4', rule: 'if CORS is off, no CORS header is sent', where: 'core 5' },
  { id: 'CORS-5', rule: 'CORS adds members to the Vary of a route and never replaces it', where: 'core 5' },
  { id: 'REQ-1', rule: 'a request line with a version other than HTTP/1.0 and HTTP/1.1 is rejected', where: 'core 11' },
  {
    id: 'REQ-2',
    rule: 'two Host lines, no Host in HTTP/1.1 and an invalid Host are rejected',
    where: 'core 4.4, 11',
  },
  {
    id: 'REQ-3',
    rule: 'Transfer-Encoding other than chunked, in HTTP/1.0 or together with Content-Length is rejected, and so is a Content-Length that is not a number',
    where: 'core 11',
  },
  { id: 'REQ-4', rule: 'ordinary HTTP/1 and HTTP/2 requests are accepted', where: 'core 11' },
  {
    id: 'RAW-1',
    rule: 'a response on a bare socket is complete JSON with Content-Length, Connection: close and X-Request-Id',
    where: 'core 4.4',
  },
  {
    id: 'ADMIN-1',
    rule: 'without a configured token instance-wide changes are allowed, in public mode they are rejected with 403',
    where: 'core 9, limits 3',
  },
  {
    id: 'ADMIN-2',
    rule: 'if a token is configured, the token or a control token with scope admin is required, else 401 with a challenge',
    where: 'core 9, limits 3',
  },
  {
    id: 'ADMIN-3',
    rule: 'X-Svc-Admin-Token is used if present, else the bearer token',
    where: 'core 9, limits 3',
  },
  {
    id: 'CALL-1',
    rule: 'svc.http.call(null, ...) runs a route of the instance without a connection, credentials or faults, one level deep, outside the control plane, and within bounds of time and size',
    where: 'agents-next 1',
  },
  {
    id: 'CALL-4',
    rule: 'svc.http.call(null, ...) reaches only routes that say that they take deliveries (every method) or serve documents (GET and HEAD); others get 403. It is counted, captured and limited like a request from outside, with the session of its path or base URL',
    where: 'agents-next 1, drop-in 1',
  },
  {
    id: 'CALL-2',
    rule: 'svc.http.call with a request runs a route with the credentials, session, address and origin of the request, through the authentication of the control plane and the admin guard',
    where: 'agents-next 1',
  },
  {
    id: 'CALL-3',
    rule: 'A call in the name of a request needs the scopes of its operation; a route can name the scope that it requires of control tokens',
    where: 'agents-next 1',
  },
  {
    id: 'TLS-1',
    rule: 'core.tls hands connections with matching server names to a plugin before the handshake, and serves them as the listener does; all others are unaffected',
    where: 'identity-next 1',
  },
  {
    id: 'TLS-2',
    rule: 'A ClientHello works in pieces of one byte; one that is longer than 16 KiB or does not arrive within 20 s ends the connection',
    where: 'identity-next 12',
  },
  {
    id: 'TLS-3',
    rule: 'core.tls opens a port whose connections all go to the plugin, stays open over reloads and closes with the server',
    where: 'identity-next 1',
  },
]
