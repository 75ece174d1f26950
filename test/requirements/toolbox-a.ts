/** What echo and the plugins status, delay, caching, transfer, redirects, info, images and reliability promise. */
export default [
  {
    id: 'TOOL-1',
    rule: 'negotiating routes answer JSON or XML by Accept, errors too, and always vary by it, on 204 and 304 as well',
    where: 'toolbox 1',
  },
  { id: 'TOOL-2', rule: 'any key, header name or counter name leaves the XML well-formed', where: 'toolbox 1' },
  {
    id: 'TOOL-3',
    rule: 'HEAD gets the status and headers of GET without a body, and starts no stream',
    where: 'toolbox 1',
  },
  { id: 'TOOL-4', rule: 'routes for any method take every method the parser knows, with a body', where: 'toolbox 1' },
  { id: 'TOOL-5', rule: 'a known path with the wrong method gets 405', where: 'toolbox 1' },
  { id: 'TOOL-6', rule: 'each plugin can be switched off alone while the others run', where: 'core 10' },
  { id: 'TOOL-7', rule: 'public instances have the lower caps', where: 'toolbox 3 to 8, spec Bounded state' },

  { id: 'TOOL-8', rule: 'no path, query or header brings about a 500', where: 'toolbox 1' },

  { id: 'ECHO-1', rule: 'the record has exactly the members of the specification, in its order', where: 'toolbox 2' },
  {
    id: 'ECHO-2',
    rule: 'path, path_info, query_string and url are as received, a default port left out',
    where: 'toolbox 2',
  },
  {
    id: 'ECHO-3',
    rule: 'query_params is form-decoded, repeats are arrays, a bare key is empty, __proto__ is a key',
    where: 'toolbox 2',
  },
  { id: 'ECHO-4', rule: 'headers has one entry for each line received', where: 'toolbox 2' },
  {
    id: 'ECHO-5',
    rule: 'a body is shown when it is UTF-8, else counted as binary, and is not decompressed',
    where: 'toolbox 2',
  },
  { id: 'ECHO-6', rule: 'host, port and scheme are those the client named', where: 'toolbox 2' },

  {
    id: 'STATUS-1',
    rule: 'every status from 200 to 599 is answered with its number, 204, 205 and 304 without body and type',
    where: 'toolbox 3',
  },
  {
    id: 'STATUS-2',
    rule: 'redirects, 401, 407, 429 and 503 carry the header that belongs to them',
    where: 'toolbox 3',
  },
  { id: 'STATUS-3', rule: 'a list is drawn from by weight and named as received, 0 never wins', where: 'toolbox 3' },
  { id: 'STATUS-4', rule: 'interim codes and malformed lists are refused', where: 'toolbox 3' },
  {
    id: 'DELAY-1',
    rule: 'durations are milliseconds or seconds, and the reply is the echo record with the times',
    where: 'toolbox 3',
  },
  { id: 'DELAY-2', rule: 'jitter stays within 20 percent and the cap', where: 'toolbox 3' },
  { id: 'DELAY-3', rule: 'malformed and too long durations are refused', where: 'toolbox 3' },
  { id: 'DELAY-4', rule: 'a client that leaves ends the wait', where: 'toolbox 1' },
  {
    id: 'RESPHEAD-1',
    rule: 'each pair becomes a header line, shown in lower case, as an array when repeated',
    where: 'toolbox 3',
  },
  {
    id: 'RESPHEAD-2',
    rule: 'headers of the connection, malformed ones and more than 50 are refused, and then none is set',
    where: 'toolbox 3',
  },
  { id: 'RESPHEAD-3', rule: 'the type may be chosen, but nothing reflected can become markup', where: 'toolbox 3' },
  {
    id: 'CACHE-1',
    rule: 'the answer and its strong tag stay the same for the life of the process, a tag for each ttl and form',
    where: 'toolbox 3',
  },
  { id: 'CACHE-2', rule: 'If-None-Match wins over If-Modified-Since and is compared weakly', where: 'toolbox 3' },
  {
    id: 'CACHE-3',
    rule: 'dates are read in their three forms, in whole seconds, and ignored when they are none',
    where: 'toolbox 3',
  },
  { id: 'CACHE-4', rule: 'a 304 carries ETag, Cache-Control, Last-Modified and Vary', where: 'toolbox 3' },

  {
    id: 'CODING-1',
    rule: 'gzip, deflate, brotli and zstd bodies decode to the echo with their flag, whatever is accepted',
    where: 'toolbox 4',
  },
  {
    id: 'CODING-2',
    rule: 'the length is that of the compressed bytes and nothing compresses twice',
    where: 'toolbox 4',
  },
  { id: 'CODING-3', rule: 'the UTF-8 page shows all scripts', where: 'toolbox 4' },
  {
    id: 'RANGE-1',
    rule: 'a single range gives its part, unsatisfiable ones 416, several and other units the whole',
    where: 'toolbox 4',
  },
  {
    id: 'RANGE-2',
    rule: 'If-Range counts only as the exact strong tag, If-None-Match before Range, HEAD ignores Range',
    where: 'toolbox 4',
  },
  { id: 'RANGE-3', rule: 'a download that breaks off can be resumed', where: 'toolbox 4' },
  {
    id: 'BYTES-1',
    rule: 'a seed always gives the same bytes, on both routes, and fewer are the beginning of more',
    where: 'toolbox 5',
  },
  { id: 'BYTES-2', rule: 'streamed bytes come in chunks of the size asked for, without a length', where: 'toolbox 5' },
  { id: 'BYTES-3', rule: 'counts above the cap are cut and X-Svc-Capped says so', where: 'toolbox 5' },
  { id: 'LINES-1', rule: 'each line is compact JSON with url, args, headers, origin and id', where: 'toolbox 5' },
  {
    id: 'DRIP-1',
    rule: 'the head comes with the first asterisk and the final length, the last one duration later',
    where: 'toolbox 5',
  },
  { id: 'DRIP-2', rule: 'parameters outside their bounds are refused', where: 'toolbox 5' },
  { id: 'DRIP-3', rule: 'a client that leaves frees the stream', where: 'toolbox 1' },
  { id: 'LINKS-1', rule: 'pages link to one another but not to themselves, at most 200', where: 'toolbox 5' },
  { id: 'BASE64-1', rule: 'both alphabets are decoded, text as text, else bytes, never sniffed', where: 'toolbox 5' },
  { id: 'BASE64-2', rule: 'anything else is incorrect base64 data', where: 'toolbox 5' },

  {
    id: 'TRANSFER-1',
    rule: 'digest answers with the digest of its body, or a wrong one',
    where: 'toolbox 16, RFC 9530',
  },
  {
    id: 'TRANSFER-2',
    rule: 'trailers sends the fields asked for behind the body, and announces them',
    where: 'toolbox 16, RFC 9110 6.5',
  },
  { id: 'TRANSFER-3', rule: 'early-hints sends a 103 with links before the answer', where: 'toolbox 16, RFC 8297' },
  { id: 'TRANSFER-4', rule: 'delay and drip tell the injected time in Server-Timing', where: 'toolbox 16' },

  { id: 'INFO-1', rule: 'the address stands under its family, mapped IPv4 as IPv4', where: 'toolbox 6' },
  {
    id: 'INFO-2',
    rule: 'date and time are told in every zone of the database, named as requested',
    where: 'toolbox 6',
  },
  { id: 'INFO-3', rule: 'offsets and unknown names are no zones', where: 'toolbox 6' },
  { id: 'INFO-4', rule: 'UUIDs are version 4, braced in guuid', where: 'toolbox 6' },
  {
    id: 'INFO-5',
    rule: 'random integers lie between their bounds, of up to 64 bits, digit for digit',
    where: 'toolbox 6',
  },
  { id: 'INFO-6', rule: 'filler text has 1 to 32 paragraphs', where: 'toolbox 6' },
  { id: 'IMAGE-1', rule: 'each image decodes to its size', where: 'toolbox 6' },
  {
    id: 'IMAGE-2',
    rule: 'the format follows Accept with its q values and ties, 406 when none fits',
    where: 'toolbox 6',
  },

  { id: 'REDIR-1', rule: 'chains count down to /echo and take the query along', where: 'toolbox 7' },
  { id: 'REDIR-2', rule: 'redirect-to leads to paths and to the own host only', where: 'toolbox 7' },
  {
    id: 'REDIR-3',
    rule: 'the status is one of six, the target is sent as given, beyond ASCII percent-encoded',
    where: 'toolbox 7',
  },
  { id: 'COOKIE-1', rule: 'cookies are shown exactly as received, the first of a name', where: 'toolbox 7' },
  {
    id: 'COOKIE-2',
    rule: 'cookies are set with the attributes asked for, in their order, values encoded',
    where: 'toolbox 7',
  },
  { id: 'COOKIE-3', rule: 'deleting expires the cookie under its path and domain', where: 'toolbox 7' },
  { id: 'COOKIE-4', rule: 'bad names, bad attributes and more than 20 cookies set none', where: 'toolbox 7' },

  {
    id: 'FLAKY-1',
    rule: 'the four behaviors answer with their fields, headers and numbers from 1',
    where: 'toolbox 8',
  },
  {
    id: 'FLAKY-2',
    rule: 'each session and behavior counts alone, and requests at the same time never share a number',
    where: 'toolbox 8',
  },
  { id: 'FLAKY-3', rule: 'bad paths are refused, uncounted and without the headers', where: 'toolbox 8' },
  { id: 'FLAKY-4', rule: 'status shows the counters of the session and makes none', where: 'toolbox 8' },
  { id: 'FLAKY-5', rule: 'reset removes those of the session, or of all under the admin rule', where: 'toolbox 8' },
  { id: 'FLAKY-6', rule: 'beyond the bound the counter that is idle longest goes', where: 'toolbox 8' },
]
