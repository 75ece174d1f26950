/** Rules for the servers of other projects. */
export default [
  {
    id: 'DIN-1',
    rule: 'whoami: the request as Go writes it, /api, /data, /bench, /health, /echo',
    where: 'drop-in 5.3',
  },
  {
    id: 'DIN-2',
    rule: 'http-echo and nginx-hello: text and status; address, name, date, URI and id',
    where: 'drop-in 5.3',
  },
  {
    id: 'DIN-3',
    rule: "istio-echo: the lines of Istio's echo server; delay, headers and codes in query or form",
    where: 'drop-in 5.2',
  },
  {
    id: 'DIN-4',
    rule: 'fortio: delay, close, header, status, gzip and size, as the original answers',
    where: 'drop-in 5.4',
  },
  { id: 'DIN-5', rule: "apisix-upstream: the paths of APISIX's tests, and resp- headers", where: 'drop-in 5.6' },
  { id: 'DIN-6', rule: 'azure-mock: status and delay by the host, from the first message', where: 'drop-in 5.8' },
  {
    id: 'DIN-7',
    rule: 'raw-headers shows the head as received; testbox has fixed texts and tasks/send',
    where: 'drop-in 5.8',
  },
  { id: 'DIN-8', rule: 'flavours of plugins are served on hosts and ports', where: 'drop-in 5' },
  {
    id: 'DIN-9',
    rule: 'an unknown flavour, or http-echo without a text, is a load error; the rest is served',
    where: 'drop-in 11',
  },
  {
    id: 'DIN-10',
    rule: 'kong-mock: the request in JSON, credentials, hop-by-hop fields, and logs',
    where: 'drop-in 5.5',
  },
  {
    id: 'DIN-11',
    rule: 'testupstream: expectations in their order, and the answer of the headers',
    where: 'drop-in 5.7',
  },
]
