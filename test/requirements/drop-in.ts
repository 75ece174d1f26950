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
  { id: 'DIN-20', rule: 'svc as takes the arguments and variables of the original', where: 'drop-in 5.9' },
  { id: 'DIN-21', rule: 'echo-basic is an HTTP, gRPC, TCP or UDP server by its variables', where: 'drop-in 5.9' },
  { id: 'DIN-22', rule: "istio-echo has Istio's flags", where: 'drop-in 5.9' },
  { id: 'DIN-23', rule: 'wrong arguments of svc as end with code 2', where: 'drop-in 5.9' },
  { id: 'DIN-24', rule: 'ports of svc give way to those of the server that it stands for', where: 'drop-in 5.9' },
  { id: 'DIN-25', rule: 'SVC_AS takes the arguments of the process, and leaves commands alone', where: 'drop-in 5.9' },
  { id: 'DIN-26', rule: 'a process of svc as responds as the original', where: 'drop-in 5.9' },
  {
    id: 'DIN-27',
    rule: 'a port in use ends the process with code 1; an unknown SVC_AS only warns',
    where: 'drop-in 5.9',
  },
  { id: 'DIN-30', rule: 'prefixes are removed for routing and stay in what is shown', where: 'drop-in 5' },
  { id: 'DIN-31', rule: 'prefixes that have another meaning are load errors', where: 'drop-in 5' },
  { id: 'DIN-32', rule: 'routes of entries are reached by their hosts, prefixes and ports alone', where: 'drop-in 5' },
  { id: 'DIN-33', rule: 'the file for the testbox is what svc as testbox serves', where: 'drop-in 5.8' },
  { id: 'DIN-40', rule: "the object of Azure-Samples' mock on /ai/azure is a directive", where: 'drop-in 5.8' },
  { id: 'DIN-41', rule: 'the object has no meaning without directives', where: 'drop-in 5.8' },
]
