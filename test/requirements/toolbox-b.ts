/** What the plugins bins, sse, websocket, jsonrpc, webhooks and orchestration promise. */
export default [
  {
    id: 'BIN-1',
    rule: 'POST /bin answers 201 with id, times, configured answer, limits and the six paths and URLs.',
    where: 'toolbox 9',
  },
  {
    id: 'BIN-2',
    rule: 'A configured answer is status, headers, body and delay_ms within bounds, sent as configured; anything else is invalid_json or invalid_bin and stores nothing.',
    where: 'toolbox 9',
  },
  {
    id: 'BIN-3',
    rule: 'A request of any method is recorded as it arrived: path below the bin, raw query, header lines in order.',
    where: 'toolbox 9',
  },
  {
    id: 'BIN-4',
    rule: 'A body that is UTF-8 is kept as text, any other as base64; of a longer one the first 65536 bytes, text cut at a character.',
    where: 'toolbox 9',
  },
  {
    id: 'BIN-5',
    rule: 'GET /bin/{id}/requests lists newest first with bin, links and count, limit clamped to 1 and the maximum.',
    where: 'toolbox 9',
  },
  {
    id: 'BIN-6',
    rule: 'GET /bin/{id}/requests/{n} shows one; evicted or not yet received is request_not_found, no integer invalid_parameter.',
    where: 'toolbox 9',
  },
  { id: 'BIN-7', rule: 'Inspection routes take GET and HEAD alone and are never captured.', where: 'toolbox 9' },
  {
    id: 'BIN-8',
    rule: 'Unknown, expired and deleted bins answer 404 "bin not found" for every method and path.',
    where: 'toolbox 9',
  },
  {
    id: 'BIN-9',
    rule: 'GET /bin lists the bins of the session, newest first; whoever knows an id may send, read and delete.',
    where: 'toolbox 9; spec Request bins',
  },
  {
    id: 'BIN-10',
    rule: 'Capturing comes first, then the delay, then the answer with X-Svc-Bin-Seq.',
    where: 'toolbox 9',
  },
  { id: 'BIN-11', rule: 'Credentials of the instance are redacted in captures.', where: 'toolbox 9; limits 4' },
  { id: 'BIN-12', rule: 'Public instances have the lower limits.', where: 'toolbox 9; spec Bounded state' },
  {
    id: 'BIN-13',
    rule: 'The oldest captures go until count and byte bound hold; seq goes on and is unique under concurrency; memory stays flat.',
    where: 'toolbox 9',
  },
  {
    id: 'BIN-14',
    rule: 'A full instance drops its oldest bin; a public one answers bins_full, and too_many_bins to a session with ten.',
    where: 'toolbox 9',
  },
  { id: 'BIN-15', rule: 'Bins expire and free their memory without being visited.', where: 'toolbox 9' },
  {
    id: 'BIN-16',
    rule: 'The feed sends each new capture as an event request with its seq as id and the record on one data line.',
    where: 'toolbox 9',
  },
  {
    id: 'BIN-17',
    rule: 'With Last-Event-ID stored captures after it come first, in order, none twice, none lost; above the newest counts as the newest, unparsable is ignored.',
    where: 'toolbox 9',
  },
  {
    id: 'BIN-18',
    rule: 'A feed ends with its bin and with its reader, and holds up no stop.',
    where: 'toolbox 9; core 1.2',
  },
  { id: 'BIN-19', rule: 'A slow reader makes the feed buffer nothing beyond what the bin stores.', where: 'toolbox 1' },

  {
    id: 'EVENTS-1',
    rule: 'Events of /sse are id, event, retry (first only) and data; JSON data is id, count, message, timestamp.',
    where: 'toolbox 10',
  },
  {
    id: 'EVENTS-2',
    rule: 'Parameters of /sse outside their rules are invalid_parameter; retry and heartbeat_ms are clamped from above.',
    where: 'toolbox 10',
  },
  {
    id: 'EVENTS-3',
    rule: 'The header Last-Event-ID wins over the parameter, no integer restarts, a resume at or past the end answers 204.',
    where: 'toolbox 10; WHATWG HTML 9.2',
  },
  {
    id: 'EVENTS-4',
    rule: 'A heartbeat comment comes after silence, its clock restarts with each event, 0 is none.',
    where: 'toolbox 10',
  },
  { id: 'EVENTS-5', rule: 'HEAD gets the head and starts no stream.', where: 'toolbox 1' },
  { id: 'EVENTS-6', rule: 'A client that leaves early frees its stream and its timer.', where: 'toolbox 1' },
  { id: 'EVENTS-7', rule: 'The next event is made when the reader has taken the last.', where: 'toolbox 1' },
  {
    id: 'EVENTS-8',
    rule: 'A stream of /sse lives 10 minutes at most, on public instances 2.',
    where: 'toolbox 10; spec Server-Sent Events',
  },
  {
    id: 'CHAT-1',
    rule: 'A chat reply is one chunk per word, a last one with finish_reason and usage, then [DONE].',
    where: 'toolbox 10',
  },
  {
    id: 'CHAT-2',
    rule: 'The reply quotes the first 200 characters of the prompt without control characters.',
    where: 'toolbox 10',
  },
  {
    id: 'CHAT-3',
    rule: 'Values of a POST win over the query; max_tokens is clamped, delay_ms over the cap and wrong types are refused.',
    where: 'toolbox 10',
  },

  {
    id: 'WS-1',
    rule: '/ws echoes text as text and binary as binary, in order, fragmented and empty ones too, and answers pings and closes.',
    where: 'toolbox 11',
  },
  {
    id: 'WS-2',
    rule: 'Exactly the message bound is accepted, one byte more closes with 1009; bad UTF-8 closes with 1007.',
    where: 'toolbox 11',
  },
  { id: 'WS-3', rule: 'The first subprotocol offered is selected, none when none is offered.', where: 'toolbox 11' },
  {
    id: 'WS-4',
    rule: 'A plain GET gets 426 with Upgrade, an unknown path 404, a malformed handshake a 4xx.',
    where: 'toolbox 11',
  },
  {
    id: 'WS-5',
    rule: '/ws/time ticks from 0, the first at once, closes 1000 done; values out of range are clamped, non-integers refuse the handshake.',
    where: 'toolbox 11',
  },
  {
    id: 'WS-6',
    rule: 'Idle time and lifetime are 5 min and 1 h, on public instances 1 min and 10 min.',
    where: 'toolbox 11; spec Bounded state',
  },
  {
    id: 'WS-7',
    rule: 'A client that does not read its echoes is not read from above 256 KiB; in public mode an address has at most 100 WebSockets.',
    where: 'toolbox 11',
  },

  { id: 'RPC-1', rule: 'Each method answers its result, whatever the content type.', where: 'toolbox 12' },
  {
    id: 'RPC-2',
    rule: 'Ids and numbers come back digit for digit; integers are added without loss.',
    where: 'toolbox 12',
  },
  {
    id: 'RPC-3',
    rule: 'The method error replies with the error that is asked for, data only when given.',
    where: 'toolbox 12',
  },
  {
    id: 'RPC-4',
    rule: 'No JSON is -32700, no request -32600 with the id when it is one, null otherwise.',
    where: 'toolbox 12; JSON-RPC 2.0 5.1',
  },
  {
    id: 'RPC-5',
    rule: 'Unknown methods are -32601 with the list of methods, wrong params -32602 that begins Invalid params.',
    where: 'toolbox 12',
  },
  { id: 'RPC-6', rule: 'A value nested too deep to be written is -32603.', where: 'toolbox 12' },
  {
    id: 'RPC-7',
    rule: 'Notifications get nothing, whatever fails; alone or in a batch of their own 204.',
    where: 'toolbox 12; JSON-RPC 2.0 4.1',
  },
  {
    id: 'RPC-8',
    rule: 'Items of a batch run side by side, replies keep their order, one bad item harms no other.',
    where: 'toolbox 12; JSON-RPC 2.0 6',
  },
  { id: 'RPC-9', rule: 'A batch over 100 (public 20) is one invalid request.', where: 'toolbox 12' },

  {
    id: 'HOOK-1',
    rule: 'GET /webhooks lists schemes, demo secrets and says that nothing is delivered.',
    where: 'toolbox 13',
  },
  { id: 'HOOK-2', rule: 'The public test vectors verify, with every member of the report.', where: 'toolbox 13' },
  {
    id: 'HOOK-3',
    rule: 'Secrets come by header or query, schemes by name or alias in any case, several signatures are allowed, hex in any case.',
    where: 'toolbox 13',
  },
  {
    id: 'HOOK-4',
    rule: 'Checks run in a fixed order; an age error is reported before a signature error, signature_valid tells the truth, expected_signature is always there.',
    where: 'toolbox 13',
  },
  {
    id: 'HOOK-5',
    rule: 'An age equal to the tolerance is fine; ignore_timestamp skips the age check only.',
    where: 'toolbox 13',
  },
  { id: 'HOOK-6', rule: 'An unknown scheme is 404 on verify and 400 on sign.', where: 'toolbox 13' },
  {
    id: 'HOOK-7',
    rule: 'Sign takes the body, else payload, else a sample event, and refuses what it cannot sign with.',
    where: 'toolbox 13',
  },
  {
    id: 'HOOK-8',
    rule: 'The curl command sends exactly the signed bytes from a POSIX shell and gets 200.',
    where: 'toolbox 13',
  },
  {
    id: 'HOOK-9',
    rule: 'Receive detects the scheme, answers 204, 401 for anything wrong, 404 unknown_secret_id.',
    where: 'toolbox 13',
  },

  { id: 'ORCH-1', rule: 'The four steps complete when each header is passed on.', where: 'toolbox 14' },
  {
    id: 'ORCH-2',
    rule: 'The risk score is 64-bit FNV-1a modulo 100 over the parts, 35 for the worked example.',
    where: 'toolbox 14',
  },
  { id: 'ORCH-3', rule: 'Step 3 applies five rules in order and always answers 200.', where: 'toolbox 14' },
  { id: 'ORCH-4', rule: 'Missing headers and wrong bodies are refused, negotiated.', where: 'toolbox 14' },
  { id: 'ORCH-5', rule: 'The status describes every step with an example that works.', where: 'toolbox 14' },

  {
    id: 'TBX-1',
    rule: 'bins, sse, websocket, jsonrpc, webhooks and orchestration can each be switched off alone.',
    where: 'toolbox; core 10',
  },
  {
    id: 'TBX-2',
    rule: 'Real clients work unmodified: eventsource, ws, jayson, json-rpc-2.0, standardwebhooks, octokit webhooks, stripe.',
    where: 'toolbox 15',
  },
]
