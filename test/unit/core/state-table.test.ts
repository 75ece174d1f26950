/**
 * Everything that the product keeps between two requests by `svc`, and where it belongs when replicas share a store. A new
 * place has to be entered here, so that nobody forgets to decide.
 */
import t from 'tap'
import { isSyntaxNode, nodesOf, parseSource, sourceFiles, type SyntaxNode } from '../../support/sources.ts'

const KINDS = ['state', 'eventLog', 'replicated', 'channel', 'secret', 'shared'] as const

/** By plugin: `<kind> <name>`, and for a shared object why it stays in the process. */
const TABLE: Record<string, Record<string, string>> = {
  a2a: {
    'state tasks': 'shared',
    'eventLog updates': 'shared',
    'state contexts': 'shared',
    'state runs': 'shared',
    'state sinks': 'shared',
    'state fault-uses': 'shared',
    'channel owner': 'messages to the replica that works on a task',
    'shared runs': 'the agents that this replica runs',
    'replicated card-key': 'shared',
    'state card-signatures': 'shared',
    'shared card-signatures': 'a cache of signatures',
    'shared push': 'what this replica has to deliver',
  },
  'a2a-grpc': { 'shared definitions': 'compiled from the code' },
  bins: { 'state bins': 'shared', 'eventLog requests': 'shared' },
  console: { 'shared client': 'a bundle made of the code' },
  demos: { 'shared runs': 'open connections; arrivals at other replicas count' },
  'drop-in': { 'state kong-logs': 'shared', 'state whoami-health': 'shared' },
  'ext-authz': {
    'state random': 'shared',
    'secret sessions': 'shared',
    'shared definitions': 'compiled from the code',
  },
  'ext-mcp': {
    'state writing-tools': 'shared',
    'state quota': 'shared',
    'shared definitions': 'compiled from the code',
  },
  'ext-proc': {
    'state turns': 'shared',
    'shared bodies': 'memory of the process',
    'shared open': 'streams that this process has open',
    'shared definitions': 'compiled from the code',
  },
  'gateway-services': {
    'shared calls': 'calls that this process has answered',
    'shared generations': 'how often this process has loaded the plugin',
    'replicated endpoints': 'shared',
  },
  graphql: {
    'state persisted-queries': 'shared',
    'state documents': 'shared',
    'replicated document-index': 'shared',
    'shared schema': 'compiled from the code',
    'shared callbacks': 'how many this process runs',
    'shared graphiql': 'a page made of the code',
  },
  'graphql-subgraphs': { 'shared composer': 'supergraphs by the digest of their subgraphs' },
  grpc: { 'shared definitions': 'compiled from the code', 'shared reflection': 'compiled from the code' },
  'grpc-services': { 'shared definitions': 'compiled from the code' },
  layer4: {
    'shared pending': 'memory of the process',
    'shared waiting-datagrams': 'memory of the process',
    'shared started': 'whether the process has loaded the plugin before',
    'replicated overrides': 'shared',
    'state override-uses': 'shared',
  },
  orca: {
    'shared measurements': 'the load of the process',
    'replicated report': 'shared',
    'state test-reports': 'shared',
    'shared definitions': 'compiled from the code',
  },
  guardrails: { 'state blocklists': 'shared' },
  httpbin: { 'state echo-basic-attempts': 'shared' },
  identity: {
    'replicated signing-key': 'shared',
    'shared known-tokens': 'a cache of pure results',
    'shared imported-keys': 'a cache of keys in another form',
    'state issuer-keys': 'shared',
    'channel issuer-keys': 'reads of what another replica has changed',
    'channel issuer-faults': 'reads of what another replica has changed',
    'state issuers': 'shared',
    'state debug-keys': 'shared',
    'state issuer-faults': 'shared',
    'state fault-uses': 'shared',
    'state introspection-flips': 'shared',
    'shared order-rate': 'a limit of the process',
    'state access-tokens': 'shared',
    'state codes': 'shared',
    'state refresh-tokens': 'shared',
    'state clients': 'shared',
    'state revoked': 'shared',
    'state assertion-ids': 'shared',
    'state device-codes': 'shared',
    'state client-documents': 'shared',
    'state key-sets': 'shared',
    'shared fetches': 'requests of the process at a time',
    'state proof-ids': 'shared',
    'secret dpop-nonces': 'shared',
    'state pushed-requests': 'shared',
    'state device-attempts': 'shared',
    'state sessions': 'shared',
    'state used-steps': 'shared',
    'secret login-steps': 'shared',
    'shared logout-queue': 'notifications of the process that wait',
  },
  llm: {
    'eventLog records': 'shared',
    'state ledger': 'shared',
    'eventLog calls': 'shared',
    'state attempts': 'shared',
    'state buckets': 'shared',
    'state prefix-blocks': 'shared',
    'state directives': 'shared',
    'replicated loads': 'shared',
    'replicated servers': 'shared',
    'state prompt-cache': 'shared',
    'state documents': 'shared',
    'state document-contents': 'shared',
    'state batches': 'shared',
    'state batch-runs': 'shared',
    'shared sockets': 'the connections of this process',
    'secret keys': 'shared',
    'secret signed': 'shared',
    'shared ledger-counts': 'open streams of this process',
    'channel ledger': 'every replica enters its calls before they are read',
  },
  'llm-gemini': {
    'state resumable-uploads': 'shared',
    'state interactions': 'shared',
    'state cached-contents': 'shared',
  },
  'llm-gemini-live': { 'state live-sessions': 'shared' },
  'llm-openai': {
    'state responses': 'shared',
    'state conversations': 'shared',
    'state uploads': 'shared',
    'state upload-parts': 'shared',
    'secret sealed': 'shared',
  },
  mcp: {
    'state sessions': 'shared',
    'eventLog messages': 'shared',
    'channel hub': 'to all replicas',
    'secret rounds': 'shared',
    'state tasks': 'shared',
    'eventLog task-updates': 'shared',
    'channel tasks': 'to the replica that runs a task',
    'shared tasks': 'tasks at work',
    'shared hub': 'requests in flight, open streams, questions and listeners',
    'state fault-uses': 'shared',
    'shared bridges': 'connections to bridged servers, and processes',
    'shared clock': 'a timer; the leader announces the time',
  },
  'mcp-hostile': {
    'shared swapped': 'requests in flight that wait for the answer of another one',
    'state swaps': 'shared',
    'channel swaps': 'to the replica where the other request waits',
  },
  mocks: {
    'state mocks': 'shared',
    'state documents': 'shared',
    'shared registry': 'mocks compiled from their records',
    'shared callbacks': 'callbacks that this replica still has to send',
    'state epoch': 'shared',
    'shared known-epoch': 'the epoch of the store that this replica has seen, to notice a store that came back empty',
    'state sessions': 'shared',
    'state request-counts': 'shared',
    'eventLog traffic': 'shared',
    'channel changes': 'every replica compiles a mock before a write responds',
    'channel counts': 'every replica stores its counts before they are read',
  },
  proxy: {
    'replicated modes': 'shared',
    'state counts': 'shared',
    'state positions': 'shared',
    'shared writes': 'files of this replica that are being written',
    'shared recordings': 'memory of this replica for bodies that are being recorded, which are written in turn',
    'shared generations': 'how often this process has loaded the plugin',
    'shared taps': 'connections of this process to the gateways of its runs',
  },
  probe: {
    'shared sessions': 'each holds an armed tap',
    'replicated open-sessions': 'shared',
    'state scripts': 'shared',
    'channel sessions': 'every replica arms its tap before a session is open; arrivals are collected from all',
    'shared runs': 'open connections and their evidence',
  },
  'rate-limit': {
    'state counters': 'shared',
    'state rate-limit-domains': 'shared',
    'channel rate-limit-domains': 'reads of what another replica has changed',
    'shared definitions': 'compiled from the code',
  },
  query: { 'state queries': 'shared' },
  reliability: { 'state counters': 'shared' },
  telemetry: {
    'eventLog records': 'shared',
    'state sessions': 'shared',
    'shared open-waits': 'requests that wait in this process',
    'shared otlp-definitions': 'compiled from the code',
    'shared als-definition': 'compiled from the code',
  },
  tls: {
    'state authorities': 'shared',
    'state revoked-serials': 'shared',
    'shared chains': 'a cache of certificates, which each replica issues',
    'shared open': 'counts of open connections',
  },
}

/** What the core keeps, in the same pieces. */
const CORE_TABLE: Record<string, string> = {
  'eventLog captures': 'shared, batched; only with a shared store, as otherwise the ring of the process is enough',
  'eventLog capture-ends': 'shared, batched; as captures',
  'eventLog connections': 'shared',
  'replicated health': 'shared, and with it the health of gRPC',
  'replicated plugin-switches': 'shared',
  'replicated demo-ca': 'shared, secret; an HTTPS pair for each replica',
  'replicated demo-client': 'shared, secret',
}

/** `svc.state('name', ...)` and its kin in a file; `receiver` is a name that the object must have, or any. */
function usesIn(file: string, receiver: string | null = 'svc'): string[] {
  return [...nodesOf(parseSource(file).program)].flatMap(node => {
    if (node.type !== 'CallExpression' || !isSyntaxNode(node.callee) || node.callee.type !== 'MemberExpression')
      return []
    const kind = nameOf(node.callee.property)
    if (!KINDS.some(known => known === kind)) return []
    const [first] = node.arguments as SyntaxNode[]
    // The core passes names of plugins on; its own are written out.
    if (receiver === null ? first?.type !== 'StringLiteral' : nameOf(node.callee.object) !== receiver) return []
    return [`${kind} ${first?.type === 'StringLiteral' ? String(first.value) : `computed in ${file}`}`]
  })
}

function nameOf(node: unknown): string {
  if (!isSyntaxNode(node)) return ''
  return node.type === 'MemberExpression' ? nameOf(node.property) : String(node.name ?? '')
}

t.test('every use of svc.state and its kin is in the table [STATE-31]', async t => {
  const found: Record<string, string[]> = {}
  for (const file of sourceFiles().filter(name => name.startsWith('plugins/'))) {
    const uses = usesIn(file)
    if (uses.length > 0) (found[file.split('/')[1]!] ??= []).push(...uses)
  }
  const sorted = (of: Record<string, string[]>): Record<string, string[]> =>
    Object.fromEntries(
      Object.keys(of)
        .sort()
        .map(plugin => [plugin, [...new Set(of[plugin])].sort()]),
    )
  const ofCore = sourceFiles()
    .filter(name => name.startsWith('core/'))
    .flatMap(file => usesIn(file, null))
  t.strictSame(ofCore.sort(), Object.keys(CORE_TABLE).sort())
  t.strictSame(
    sorted(found),
    sorted(Object.fromEntries(Object.entries(TABLE).map(([plugin, uses]) => [plugin, Object.keys(uses)]))),
  )
})
