/**
 * Everything that the product keeps between two requests by `svc`, and where it belongs when replicas share a store. A new
 * place has to be entered here, so that nobody forgets to decide.
 */
import t from 'tap'
import { isSyntaxNode, nodesOf, parseSource, sourceFiles } from '../../support/sources.ts'
import type { SyntaxNode } from '../../support/sources.ts'

const KINDS = ['state', 'eventLog', 'replicated', 'channel', 'secret', 'shared'] as const

/** By plugin: `<kind> <name>`, and for a shared object why it stays in the process. */
const TABLE: Record<string, Record<string, string>> = {
  a2a: {
    'shared tasks': 'to become state with a log: tasks and the agents that work on them',
    'shared push': 'to become state of the replica that runs the task: what is to be delivered',
    'state sinks': 'shared',
  },
  bins: { 'state bins': 'shared' },
  console: { 'shared client': 'a bundle made of the code' },
  graphql: {
    'state persisted-queries': 'shared',
    'shared schema': 'compiled from the code',
    'shared graphiql': 'a page made of the code',
  },
  grpc: { 'shared definitions': 'compiled from the code', 'shared reflection': 'compiled from the code' },
  guardrails: { 'state blocklists': 'shared' },
  identity: {
    'replicated signing-key': 'shared',
    'shared known-tokens': 'a cache of pure results',
    'shared imported-keys': 'a cache of keys in another form',
    'state issuer-keys': 'shared',
    'state issuers': 'shared',
    'state access-tokens': 'shared',
    'state codes': 'shared',
    'state refresh-tokens': 'shared',
    'state clients': 'shared',
    'state revoked': 'shared',
  },
  llm: { 'shared records': 'to become a batched log' },
  'llm-anthropic': { 'state prompt-cache': 'shared' },
  mcp: { 'shared hub': 'to become state with a log: sessions; streams stay', 'shared clock': 'a timer' },
  mocks: {
    'shared registry': 'to become state: uploaded mocks and their documents',
    'state sessions': 'shared',
  },
  reliability: { 'state counters': 'shared' },
  transfer: { 'shared zstd': 'a codec' },
}

/** `svc.state('name', ...)` and its kin in a file. */
function usesIn(file: string): string[] {
  return [...nodesOf(parseSource(file).program)].flatMap(node => {
    if (node.type !== 'CallExpression' || !isSyntaxNode(node.callee) || node.callee.type !== 'MemberExpression')
      return []
    const kind = nameOf(node.callee.property)
    if (!KINDS.some(known => known === kind) || nameOf(node.callee.object) !== 'svc') return []
    const [first] = node.arguments as SyntaxNode[]
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
  t.strictSame(
    sorted(found),
    sorted(Object.fromEntries(Object.entries(TABLE).map(([plugin, uses]) => [plugin, Object.keys(uses)]))),
  )
})
