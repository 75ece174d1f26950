/** What the plugin proxy promises. */
export default [
  {
    id: 'PROXY-1',
    rule: 'Method, path, query and body of a request below /proxy/{name} reach the upstream below the path of its target.',
    where: 'testing 7',
  },
  {
    id: 'PROXY-2',
    rule: 'End-to-end headers are forwarded; fields of the connection, X-Svc-*, generated request ids and credentials of the control plane are not.',
    where: 'testing 7, RFC 9110, 7.6.1',
  },
  { id: 'PROXY-3', rule: 'Responses are sent on piece by piece, with their coding.', where: 'testing 7' },
  { id: 'PROXY-4', rule: 'A Location below the target is rewritten to the proxy.', where: 'testing 7' },
  {
    id: 'PROXY-5',
    rule: 'A response of an upstream cannot act for the origin of the instance.',
    where: 'hardening: untrusted content',
  },
  { id: 'PROXY-6', rule: 'An unreachable upstream gets 502, one that is too slow 504.', where: 'testing 7' },
  {
    id: 'PROXY-7',
    rule: 'A client that disconnects, or an upstream that breaks off, ends the exchange; nothing is recorded.',
    where: 'testing 7',
  },
  {
    id: 'PROXY-8',
    rule: 'A request to /proxy that has passed the instance gets 508; its other routes can be targets.',
    where: 'testing 7',
  },
  { id: 'PROXY-9', rule: 'Paths are normalized and never leave the path of the target.', where: 'testing 7' },
  { id: 'PROXY-10', rule: 'A WebSocket handshake gets 501.', where: 'testing 7' },
  { id: 'PROXY-11', rule: 'Faults act before the proxy.', where: 'testing 7' },
  { id: 'PROXY-12', rule: 'TLS of the upstream is verified; ca_file adds an authority.', where: 'testing 7' },
  {
    id: 'PROXY-13',
    rule: 'A web page of another origin reaches no upstream and no recording, unless its origin is listed.',
    where: 'hardening: web pages',
  },
  {
    id: 'PROXY-14',
    rule: 'Requests are sent on piece by piece, unless they may be replayed; a body that breaks off or is too large ends the exchange.',
    where: 'testing 7',
  },
  {
    id: 'PROXY-20',
    rule: 'A recording is one YAML file for each key, named after method, path and key.',
    where: 'testing 7',
  },
  { id: 'PROXY-21', rule: 'The mode decides what is recorded, replayed and forwarded.', where: 'testing 7' },
  {
    id: 'PROXY-22',
    rule: 'Responses of a recording are replayed in turn by each session, the last one again and again.',
    where: 'testing 7',
  },
  {
    id: 'PROXY-23',
    rule: 'The key is method, path, sorted query, named headers and canonical body, without what is ignored or redacted.',
    where: 'testing 7',
  },
  { id: 'PROXY-24', rule: 'A miss is a 404 with the closest recordings and their differences.', where: 'testing 7' },
  {
    id: 'PROXY-25',
    rule: 'With on_miss: nearest, the recording of the same method and path with the fewest differences is replayed.',
    where: 'testing 7',
  },
  { id: 'PROXY-26', rule: 'HAR files are replayed, whatever their host.', where: 'testing 7' },
  { id: 'PROXY-27', rule: 'Added files are noticed; invalid ones are reported and left out.', where: 'testing 7' },
  {
    id: 'PROXY-28',
    rule: 'A replayed response is the one that the upstream would send: for ranges, conditions, HEAD and the headers that Vary names, without headers of its own.',
    where: 'testing 7, RFC 9110, 12.5.5, 13, 14',
  },
  {
    id: 'PROXY-29',
    rule: 'Trailer fields and 103 responses are passed on, recorded and replayed.',
    where: 'testing 7, RFC 9110, 6.5, RFC 8297',
  },
  { id: 'PROXY-30', rule: 'Credentials of requests are redacted before anything is written.', where: 'testing 7' },
  {
    id: 'PROXY-31',
    rule: 'Credentials in responses, and those that an upstream echoes, are redacted before anything is written.',
    where: 'testing 7',
  },
  {
    id: 'PROXY-33',
    rule: 'Recordings are redacted by the one rule for names of secrets, only for their owner, and independent of what was redacted.',
    where: 'testing 7',
  },
  {
    id: 'PROXY-34',
    rule: 'What is redacted in a request is redacted in its response too: in headers and body, encoded, and over chunks.',
    where: 'testing 7',
  },
  { id: 'PROXY-32', rule: 'Values of set_headers are never written and never shown.', where: 'testing 7' },
  {
    id: 'PROXY-40',
    rule: 'Times of the head and the chunks are recorded, and replayed as they were, scaled, or not at all.',
    where: 'testing 7',
  },
  { id: 'PROXY-41', rule: 'The delay limit bounds the waits of a replay.', where: 'testing 7' },
  { id: 'PROXY-50', rule: 'Without an upstream, and in public mode, nothing is forwarded.', where: 'testing 7' },
  {
    id: 'PROXY-51',
    rule: 'GET /_svc/proxy lists upstreams; PUT switches a mode until the next reload, with the admin token.',
    where: 'testing 7',
  },
  { id: 'PROXY-52', rule: 'A wrong upstream is reported with its place; the others are served.', where: 'testing 7' },
  {
    id: 'PROXY-53',
    rule: 'At most 16 MiB a response and 5000 files a folder are recorded; the rest passes through.',
    where: 'testing 7',
  },
  {
    id: 'PROXY-54',
    rule: 'Bodies that are being recorded hold at most 32 MiB together, however they are coded and cut into chunks; decoding keeps pace with the response. What does not fit passes through.',
    where: 'testing 7',
  },
  {
    id: 'PROXY-60',
    rule: 'With as: llm, exchanges in the chat formats of OpenAI and Anthropic become rules in fixtures.yaml, with the measured pace; they apply at once.',
    where: 'testing 7',
  },
  {
    id: 'PROXY-61',
    rule: 'A recorded conversation is replayed by the SDKs of other providers.',
    where: 'testing 7',
  },
]
