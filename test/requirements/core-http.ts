/** What the pure functions behind the request pipeline promise. */
export default [
  {
    id: 'HEAD-1',
    rule: 'of a repeated header field the first line counts, and a comma inside a line does not split it',
    where: 'core 4.1, 8, 9',
  },
  {
    id: 'IP-1',
    rule: 'without trust the client IP is the TCP peer, whatever the headers say; IPv4-mapped addresses are printed as IPv4',
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
    rule: 'of several addresses the rightmost one that is not internal is used, otherwise the leftmost valid one',
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
    rule: 'without a usable Host it is the bind address (localhost for a wildcard) with the port of the listener',
    where: 'core 6',
  },
  {
    id: 'ORIGIN-3',
    rule: 'trusted X-Forwarded-Proto, -Host and -Port take precedence over the first Forwarded element, and that over Host',
    where: 'core 6',
  },
  { id: 'ORIGIN-4', rule: 'a forwarded scheme without a host drops the port of Host', where: 'core 6' },
  {
    id: 'ORIGIN-5',
    rule: 'invalid forwarded values are skipped; without trust, all of them are ignored',
    where: 'core 6',
  },
  {
    id: 'ORIGIN-6',
    rule: 'a forwarded prefix has one leading slash, no trailing one, path characters, no .. segment and at most 256 characters',
    where: 'core 6',
  },
  {
    id: 'PREFIX-1',
    rule: 'every URL, Location and link that the service generates includes the trusted X-Forwarded-Prefix, otherwise SVC_BASE_PATH',
    where: 'core 6',
  },
  {
    id: 'PREFIX-2',
    rule: 'with SVC_BASE_PATH every route is served below that path as well as at the root, over HTTP, upgrades and gRPC-Web',
    where: 'core 6',
  },
  {
    id: 'PREFIX-3',
    rule: 'the base path is stripped before any decision by path: protection and exemptions apply below it',
    where: 'core 6',
  },
  {
    id: 'PREFIX-4',
    rule: '/.well-known/<name><base path>/<rest> is served as /.well-known/<name>/<rest>',
    where: 'core 6 (RFC 8414, RFC 9728)',
  },
  { id: 'PREFIX-5', rule: 'only svc.http builds URLs', where: 'core 6' },
  { id: 'PREFIX-6', rule: 'OIDC and MCP clients work through a gateway that strips a prefix', where: 'core 6' },
  {
    id: 'PATH-1',
    rule: 'rules match the path without the query, decoded as the router decodes it',
    where: 'limits 1, core 4',
  },
  { id: 'PATH-2', rule: 'of an absolute request target, only the path counts', where: 'core 4' },
  { id: 'PATH-3', rule: 'malformed percent-encoding is not a valid path', where: 'core 4.4' },
  {
    id: 'PATH-4',
    rule: '"below a prefix" means the prefix itself or a path that continues it after a slash',
    where: 'core 4, limits 1',
  },
  {
    id: 'SESSION-1',
    rule: 'a header of 1 to 128 characters A-Za-z0-9._:- names the session; without one, the client address does',
    where: 'core 9',
  },
  { id: 'SESSION-2', rule: 'an invalid session header is ignored, never truncated', where: 'core 9, 11' },
  {
    id: 'SESSION-3',
    rule: 'header and address sessions look alike in output and have different keys',
    where: 'core 9',
  },
  {
    id: 'FAULT-1',
    rule: 'a delay is a whole number of milliseconds, cut at the limit, with optional spaces around it; anything else is ignored',
    where: 'core 8, 11',
  },
  {
    id: 'FAULT-2',
    rule: 'a fail value is 400 to 599 with an optional percentage of 0 to 100; anything else is ignored',
    where: 'core 8, 11',
  },
  { id: 'FAULT-3', rule: 'each request fails independently with the probability of the percentage', where: 'core 8' },
  {
    id: 'FAULT-4',
    rule: 'the injected body has the status, its standard phrase or Error, the percentage and the header',
    where: 'core 8',
  },
  {
    id: 'FAULT-20',
    rule: 'a fault header that cannot be parsed has no effect, and the response names it in X-Svc-Ignored',
    where: 'core 8',
  },
  {
    id: 'FAIL-1',
    rule: "the framework's error responses have the documented fields and sentences",
    where: 'core 4.2 to 4.4, 10.5',
  },
  {
    id: 'ACCEPT-1',
    rule: 'the most specific range gives a type its q, the highest q wins, and ties go by server order',
    where: 'core 7',
  },
  {
    id: 'ACCEPT-2',
    rule: 'without a header, with an invalid one, or if nothing is acceptable, the response is JSON',
    where: 'core 7, 11',
  },
  {
    id: 'ACCEPT-3',
    rule: "if a page type has a q at least as high as the XML type's, the response is JSON",
    where: 'core 7',
  },
  {
    id: 'ACCEPT-4',
    rule: 'names are case-insensitive, other parameters are ignored, q above 1 counts as 1, an invalid q drops the range, 64 ranges are read',
    where: 'core 7',
  },
  {
    id: 'XML-1',
    rule: 'objects, arrays, null, empty strings and scalars are represented below the root element response',
    where: 'core 7',
  },
  { id: 'XML-2', rule: 'a key that is not a safe name becomes an entry with the attribute key', where: 'core 7' },
  {
    id: 'XML-3',
    rule: 'markup and carriage returns are escaped, and in attributes also tabs and line feeds',
    where: 'core 7',
  },
  { id: 'XML-4', rule: 'characters that XML 1.0 forbids become U+FFFD', where: 'core 7' },
  { id: 'XML-5', rule: 'values nested deeper than 64 levels are written as JSON text', where: 'core 7' },
  { id: 'CORS-1', rule: 'with * every response allows every origin and names the exposed headers', where: 'core 5' },
  {
    id: 'CORS-2',
    rule: 'with a list, listed origins are allowed and every response varies by Origin',
    where: 'core 5',
  },
  {
    id: 'CORS-3',
    rule: 'a preflight mirrors method and headers, allows 600 s and varies by all three',
    where: 'core 5',
  },
  { id: 'CORS-4', rule: 'when CORS is off, no CORS header is sent', where: 'core 5' },
  { id: 'CORS-5', rule: 'CORS adds members to the Vary header of a route and never replaces it', where: 'core 5' },
  { id: 'REQ-1', rule: 'a request line with a version other than HTTP/1.0 and HTTP/1.1 is rejected', where: 'core 11' },
  {
    id: 'REQ-2',
    rule: 'two Host lines, a missing Host in HTTP/1.1 and an invalid Host are rejected',
    where: 'core 4.4, 11',
  },
  {
    id: 'REQ-3',
    rule: 'Transfer-Encoding is rejected if it is not chunked, in HTTP/1.0, or together with Content-Length; so is an invalid Content-Length',
    where: 'core 11',
  },
  { id: 'REQ-4', rule: 'ordinary HTTP/1 and HTTP/2 requests pass', where: 'core 11' },
  {
    id: 'RAW-1',
    rule: 'a response on a bare socket is complete JSON with Content-Length, Connection: close and X-Request-Id',
    where: 'core 4.4',
  },
  {
    id: 'ADMIN-1',
    rule: 'without a configured token changes are allowed, but in public mode rejected with 403',
    where: 'core 9, limits 3',
  },
  {
    id: 'ADMIN-2',
    rule: 'a configured token, or a control token with scope admin, is required; otherwise the response is 401 with a challenge',
    where: 'core 9, limits 3',
  },
  {
    id: 'ADMIN-3',
    rule: 'X-Svc-Admin-Token is checked if present, otherwise the bearer token',
    where: 'core 9, limits 3',
  },
]
