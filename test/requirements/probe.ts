/** Rules for `svc probe`: the tap, sessions, the command, the catalog of checks and reports. */
export default [
  {
    id: 'PRB-1',
    rule: 'a claimed request is shown as it arrived, next to requests of others on the same connection, which are answered',
    where: 'docs/probe.md',
  },
  { id: 'PRB-2', rule: 'the tap is armed four times at most, and never in public mode', where: 'docs/probe.md' },
  { id: 'PRB-3', rule: 'each wrong proxy is caught by exactly the checks that name its fault', where: 'docs/probe.md' },
  {
    id: 'PRB-4',
    rule: 'an invalid command line is exit code 2 with the nearest valid word, before anything is sent',
    where: 'docs/probe.md',
  },
  { id: 'PRB-5', rule: 'list and show print the catalog, whose ids are unique', where: 'docs/probe.md' },
  {
    id: 'PRB-6',
    rule: 'a gateway or upstream that cannot be reached is exit code 3 with the cause',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-7',
    rule: 'reports agree with their schema, contain no credentials, and a baseline covers known findings',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-8',
    rule: '--listen starts an svc on the loopback address, with a token of its own, for the time of the run',
    where: 'docs/probe.md',
  },
  { id: 'PRB-9', rule: 'a transparent proxy passes every check, a slow one too', where: 'docs/probe.md' },
  {
    id: 'PRB-10',
    rule: 'a tunnel has no findings, since rules for intermediaries do not bind it',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-11',
    rule: 'checks run in HTTP/2 too, and wrong proxies in HTTP/2 are caught by the checks that name their fault',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-12',
    rule: 'claimed requests of HTTP/2 are shown with their fields in order, and answered as they are written',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-13',
    rule: 'an upstream half that disobeys, loses arrivals or has another time is an error, never a finding',
    where: 'docs/probe.md',
  },
  { id: 'PRB-14', rule: 'a transparent proxy passes on a busy machine too', where: 'docs/probe.md' },
  {
    id: 'PRB-15',
    rule: 'a judge is a function of what was recorded, and sees one changed byte, field or time',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-16',
    rule: '--routes says where groups live; requests of models are recognized by their content too',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-17',
    rule: 'runs over HTTP contact only targets that svc.yaml names, one run at a time, and can be followed and stopped',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-18',
    rule: 'access tokens and certificates of the upstream that must not pass are found on the routes that are named for it',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-19',
    rule: 'the HTML report is readable in both themes and printed, has no scripts, and shows what a gateway says as text',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-20',
    rule: 'other plugins contribute checks, which are validated, bounded, listed, selectable and part of reports',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-21',
    rule: 'each check has a page with what is sent and expected, why it matters, and a section that was read',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-22',
    rule: 'replay runs a check again with the options of its run, or judges the evidence of a report without sending anything',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-23',
    rule: 'a gateway may have several upstreams: replicas with a shared store know one session, others are named',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-24',
    rule: 'push notifications of the agent come back through the gateway, are refused, or never come',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-25',
    rule: 'an answer without an end, in bytes or time, is left and reported',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-26',
    rule: 'messages of HTTP/2 have fields and content in reports, with trailers, interim responses and stream errors',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-27',
    rule: 'replicas that join or end during a run cost no finding, and an upstream that ends is an error of the rest',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-28',
    rule: 'a flaky result says how many attempts found what, with the evidence of the first and the last finding',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-29',
    rule: 'gateways of MCP are tried in the revision and with the tool names that they have, and may map ids and tokens',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-30',
    rule: 'what comes from the settings of svc is not a finding, and one cause of several findings is reported with one remedy',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-31',
    rule: 'the terminal report ends with the reasons of skipped checks, the most frequent first, and what to change',
    where: 'docs/probe.md',
  },
  {
    id: 'PRB-32',
    rule: 'Proxy-Status is read as a list of strings and tokens with parameters; anything else is a finding',
    where: 'docs/probe.md, RFC 9209 2',
  },
]
