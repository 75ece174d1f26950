/** What echo and the plugins status, delay, caching, transfer, redirects, info, images and reliability promise. */
export default [
  {
    id: 'TOOL-1',
    rule: 'negotiating routes respond with JSON or XML by Accept, including errors, and send Vary: Accept even on 204 and 304',
    where: 'toolbox 1',
  },
  { id: 'TOOL-2', rule: 'the XML is well-formed for any key, header name or counter name', where: 'toolbox 1' },
  {
    id: 'TOOL-3',
    rule: 'HEAD returns the status and headers of GET without a body, and does not start a stream',
    where: 'toolbox 1',
  },
  {
    id: 'TOOL-4',
    rule: 'routes for any method accept every method that the parser knows, with a body',
    where: 'toolbox 1',
  },
  { id: 'TOOL-5', rule: 'a known path with the wrong method gets 405', where: 'toolbox 1' },
  { id: 'TOOL-6', rule: 'each plugin can be switched off alone while the others run', where: 'core 10' },
  { id: 'TOOL-7', rule: 'public instances have the lower caps', where: 'toolbox 3 to 8, spec Bounded state' },

  { id: 'TOOL-8', rule: 'no path, query or header causes a 500', where: 'toolbox 1' },

  { id: 'ECHO-1', rule: 'the record has exactly the members of the specification, in its order', where: 'toolbox 2' },
  {
    id: 'ECHO-2',
    rule: 'path, path_info, query_string and url are as received, without a default port',
    where: 'toolbox 2',
  },
  {
    id: 'ECHO-3',
    rule: 'query_params is form-decoded: repeated keys are arrays, a key without a value is empty, __proto__ is an ordinary key',
    where: 'toolbox 2',
  },
  { id: 'ECHO-4', rule: 'headers has one entry per line received', where: 'toolbox 2' },
  {
    id: 'ECHO-5',
    rule: 'a UTF-8 body is included, any other is reported as binary; bodies are not decompressed',
    where: 'toolbox 2',
  },
  { id: 'ECHO-7', rule: 'trailers has the fields after the body, if there are any', where: 'docs/toolbox.md' },
  {
    id: 'ECHO-8',
    rule: '/wire shows the lines of the head in the case, order and number received',
    where: 'docs/toolbox.md',
  },
  { id: 'ECHO-6', rule: 'host, port and scheme are those of the request', where: 'toolbox 2' },

  {
    id: 'STATUS-1',
    rule: 'every status from 200 to 599 is sent with its number; 204, 205 and 304 have no body or type',
    where: 'toolbox 3',
  },
  {
    id: 'STATUS-2',
    rule: 'redirects, 401, 407, 429 and 503 include the header that they require',
    where: 'toolbox 3',
  },
  {
    id: 'STATUS-3',
    rule: 'a status is selected from a list by weight, and the list is echoed; weight 0 is never selected',
    where: 'toolbox 3',
  },
  { id: 'STATUS-4', rule: 'interim codes and malformed lists are rejected', where: 'toolbox 3' },
  {
    id: 'DELAY-1',
    rule: 'durations are in milliseconds or seconds, and the response is the echo record with the durations',
    where: 'toolbox 3',
  },
  { id: 'DELAY-2', rule: 'jitter stays within 20 percent and below the maximum', where: 'toolbox 3' },
  { id: 'DELAY-3', rule: 'malformed and too long durations are rejected', where: 'toolbox 3' },
  { id: 'DELAY-4', rule: 'the wait ends when the client disconnects', where: 'toolbox 1' },
  {
    id: 'RESPHEAD-1',
    rule: 'each pair becomes a header line; the body lists the names in lower case, repeated ones as arrays',
    where: 'toolbox 3',
  },
  {
    id: 'RESPHEAD-2',
    rule: 'connection headers, malformed headers and more than 50 headers are rejected, and no header is set',
    where: 'toolbox 3',
  },
  { id: 'RESPHEAD-3', rule: 'the type can be chosen, but reflected text never becomes markup', where: 'toolbox 3' },
  {
    id: 'CACHE-1',
    rule: 'the response and its strong tag stay the same for the life of the process, with one tag per ttl and media type',
    where: 'toolbox 3',
  },
  {
    id: 'CACHE-2',
    rule: 'If-None-Match takes precedence over If-Modified-Since and uses weak comparison',
    where: 'toolbox 3',
  },
  {
    id: 'CACHE-3',
    rule: 'dates are accepted in three formats, compared in whole seconds, and ignored if invalid',
    where: 'toolbox 3',
  },
  { id: 'CACHE-4', rule: 'a 304 includes ETag, Cache-Control, Last-Modified and Vary', where: 'toolbox 3' },

  {
    id: 'CODING-1',
    rule: 'gzip, deflate, brotli and zstd bodies decode to the echo with their flag, whatever Accept-Encoding is',
    where: 'toolbox 4',
  },
  {
    id: 'CODING-2',
    rule: 'the length is that of the compressed bytes, and bodies are compressed only once',
    where: 'toolbox 4',
  },
  { id: 'CODING-3', rule: 'the UTF-8 page contains all scripts', where: 'toolbox 4' },
  {
    id: 'RANGE-1',
    rule: 'a single range returns that part, an unsatisfiable range 416; several ranges or other units return the whole body',
    where: 'toolbox 4',
  },
  {
    id: 'RANGE-2',
    rule: 'If-Range matches only the exact strong tag, If-None-Match is evaluated before Range, HEAD ignores Range',
    where: 'toolbox 4',
  },
  { id: 'RANGE-3', rule: 'an interrupted download can be resumed', where: 'toolbox 4' },
  {
    id: 'BYTES-1',
    rule: 'a seed gives the same bytes on both routes, and a shorter result is a prefix of a longer one',
    where: 'toolbox 5',
  },
  {
    id: 'BYTES-2',
    rule: 'streamed bytes are sent in chunks of the requested size, without a length',
    where: 'toolbox 5',
  },
  { id: 'BYTES-3', rule: 'counts above the maximum are reduced, and X-Svc-Capped reports it', where: 'toolbox 5' },
  { id: 'LINES-1', rule: 'each line is compact JSON with url, args, headers, origin and id', where: 'toolbox 5' },
  {
    id: 'DRIP-1',
    rule: 'the headers are sent with the full length and the first asterisk, the last asterisk after the duration',
    where: 'toolbox 5',
  },
  { id: 'DRIP-2', rule: 'out-of-range parameters are rejected', where: 'toolbox 5' },
  { id: 'DRIP-3', rule: 'the stream is freed when the client disconnects', where: 'toolbox 1' },
  { id: 'LINKS-1', rule: 'pages link to one another but not to themselves; there are at most 200', where: 'toolbox 5' },
  {
    id: 'BASE64-1',
    rule: 'both alphabets are decoded; text is sent as text, anything else as bytes, and sniffing is disabled',
    where: 'toolbox 5',
  },
  { id: 'BASE64-2', rule: 'anything else is incorrect base64 data', where: 'toolbox 5' },

  {
    id: 'TRANSFER-1',
    rule: 'digest sends the digest of its body, or an incorrect one',
    where: 'toolbox 16, RFC 9530',
  },
  {
    id: 'TRANSFER-2',
    rule: 'trailers sends the requested fields after the body, and announces them',
    where: 'toolbox 16, RFC 9110 6.5',
  },
  { id: 'TRANSFER-3', rule: 'early-hints sends a 103 with links before the response', where: 'toolbox 16, RFC 8297' },
  {
    id: 'TRANSFER-5',
    rule: 'early-hints sends the interim responses that its parameter lists, in order',
    where: 'toolbox 16',
  },
  { id: 'TRANSFER-4', rule: 'delay and drip report the injected time in Server-Timing', where: 'toolbox 16' },

  { id: 'INFO-1', rule: 'the address is listed under its family, mapped IPv4 addresses as IPv4', where: 'toolbox 6' },
  {
    id: 'INFO-2',
    rule: 'date and time are available in every zone of the database, with the zone name as requested',
    where: 'toolbox 6',
  },
  { id: 'INFO-3', rule: 'offsets and unknown names are rejected as zones', where: 'toolbox 6' },
  { id: 'INFO-4', rule: 'UUIDs are version 4; guuid adds braces', where: 'toolbox 6' },
  {
    id: 'INFO-5',
    rule: 'random integers are between bounds of up to 64 bits, with exact digits',
    where: 'toolbox 6',
  },
  { id: 'INFO-6', rule: 'filler text has 1 to 32 paragraphs', where: 'toolbox 6' },
  { id: 'IMAGE-1', rule: 'each image decodes to its size', where: 'toolbox 6' },
  {
    id: 'IMAGE-2',
    rule: 'Accept with its q values selects the format, ties follow a fixed order, and 406 is sent if none matches',
    where: 'toolbox 6',
  },

  { id: 'REDIR-1', rule: 'chains count down to /echo and keep the query', where: 'toolbox 7' },
  { id: 'REDIR-2', rule: 'redirect-to only allows paths and the requested host', where: 'toolbox 7' },
  {
    id: 'REDIR-3',
    rule: 'the status is one of six; the target is sent unchanged, with non-ASCII characters percent-encoded',
    where: 'toolbox 7',
  },
  { id: 'COOKIE-1', rule: 'cookies are shown exactly as received; of duplicate names, the first', where: 'toolbox 7' },
  {
    id: 'COOKIE-2',
    rule: 'cookies are set with the requested attributes in a fixed order and encoded values',
    where: 'toolbox 7',
  },
  { id: 'COOKIE-3', rule: 'deleting expires the cookie for its path and domain', where: 'toolbox 7' },
  {
    id: 'COOKIE-4',
    rule: 'invalid names, invalid attributes and more than 20 cookies are rejected, and no cookie is set',
    where: 'toolbox 7',
  },

  {
    id: 'FLAKY-1',
    rule: 'the four behaviors respond with their fields, headers and request numbers from 1',
    where: 'toolbox 8',
  },
  {
    id: 'FLAKY-2',
    rule: 'each session and behavior has its own counter, and concurrent requests never share a number',
    where: 'toolbox 8',
  },
  { id: 'FLAKY-3', rule: 'invalid paths are rejected, not counted, and get no counter headers', where: 'toolbox 8' },
  { id: 'FLAKY-4', rule: 'status shows the counters of the session and creates none', where: 'toolbox 8' },
  {
    id: 'FLAKY-5',
    rule: 'reset removes the counters of the session, or of all sessions if admin access is granted',
    where: 'toolbox 8',
  },
  { id: 'FLAKY-6', rule: 'above the limit, the counter that is idle longest is evicted', where: 'toolbox 8' },
]
