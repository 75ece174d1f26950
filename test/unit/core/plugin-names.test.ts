/** The core knows no plugin by name: neither its code nor its comments mention one. */
import t from 'tap'
import { readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BUILTIN_FOLDER, PRODUCT_FOLDER } from '../../../core/product.ts'
import { builtinDefinitions } from '../../support/definitions.ts'

const CORE = join(PRODUCT_FOLDER, 'core')
/**
 * Folders of plugins whose names are words of English, JavaScript or HTTP: forbidden only if they refer to the plugin.
 */
const ORDINARY = new Set([
  'auth',
  'caching',
  'delay',
  'demos',
  'docs',
  'echo',
  'exports',
  'grpc',
  'identity',
  'images',
  'import',
  'info',
  'orchestration',
  'probe',
  'proxy',
  'rate-limit',
  'query',
  'redirects',
  'reliability',
  'sse',
  'status',
  'tls',
  'transfer',
  'websocket',
])
/** Terms that identify plugins, in addition to their names. */
const SUBJECTS = ['ai', 'bin', 'console', 'guardrail', 'mcp', 'mock', 'oauth', 'webhook']

/** Lines required by the specification, by file: whole lines, so that they hide nothing else. */
const ALLOWED: Record<string, { line: string; why: string }[]> = {
  'toolkit/json-rpc.ts': [
    { line: "const VERSION_MEMBER = 'jsonrpc'", why: 'the member of JSON-RPC messages, which several plugins serve' },
  ],
  'cli/command-line.ts': [
    {
      line: '--open                open the console in the browser after the start',
      why: 'an option of the server (distribution sheet, 7)',
    },
  ],
  'cli/open.ts': [
    {
      line: 'usage: `usage: svc open [console|docs|catalog|<path>] [--url <url>] [--print]',
      why: 'a page of the command (distribution sheet, 7)',
    },
    {
      line: 'Prints the address of a page and opens it with BROWSER, or with the program of the system. Default: the console.',
      why: 'the page that the command opens by default (distribution sheet, 7)',
    },
  ],
  'config/plugin-variables.ts': [
    { line: "'SVC_CONSOLE_URL',", why: 'a variable that the GitHub Action sets (distribution sheet, 3)' },
  ],
  'cli/new-plugin.ts': [
    {
      line: 'SVC_PLUGINS_DIR=. node_modules/.bin/svc check && SVC_PLUGINS_DIR=. node_modules/.bin/svc',
      why: 'the folder of installed commands',
    },
  ],
  'control/reply-schemas/instance.ts': [
    {
      line: 'console: object({ title: ANY, backlink: ANY }),',
      why: 'a member of /_svc/status (core sheet)',
    },
  ],
  'contract/control-scope.ts': [
    {
      line: "export const CONTROL_SCOPES = ['inspector', 'console', 'admin'] as const",
      why: 'a scope of control-plane tokens (limits sheet, 3)',
    },
  ],
}

const folders = readdirSync(BUILTIN_FOLDER, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(({ name }) => name)
const definitions = [...(await builtinDefinitions())]

/** Makes word boundaries inside identifiers visible (`hasConsole`, `SVC_MCP_API_KEY`). */
function spaced(line: string): string {
  return line
    .replace(/\bconsole\.(?:log|error|warn)\b/g, '')
    .replaceAll('OpenTelemetry', '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
}

const names = folders.filter(name => !ORDINARY.has(name))
const word = new RegExp(`\\b(?:${[...names, ...SUBJECTS].join('|')})s?\\b`, 'i')
const ordinaryName = new RegExp(
  `\\b(?:${[...ORDINARY].join('|')})['"\`]? plugin\\b|\\bplugin ['"\`]?(?:${[...ORDINARY].join('|')})\\b`,
)
/** Variables, headers, categories and link texts that plugins declare. */
const declared = definitions.flatMap(([, { variables = {}, exposes = [], categories = [] }]) => [
  ...Object.values(variables).map(({ name }) => name),
  ...exposes.map(header => (typeof header === 'string' ? header : header.name)),
  ...categories.filter(({ name }) => !ORDINARY.has(name.toLowerCase())).map(({ name }) => `'${name}'`),
])
const ownPath = /['"`]\/ui\b/

function offence(line: string): string | undefined {
  return (
    word.exec(spaced(line))?.[0] ??
    ordinaryName.exec(line)?.[0] ??
    declared.find(name => line.includes(name)) ??
    ownPath.exec(line)?.[0]
  )
}

function sourceFiles(): string[] {
  return readdirSync(CORE, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.(?:[mc]?[tj]s|css|html|json)$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
}

t.test('no plugin is named in core [HOST-8]', async t => {
  const files = sourceFiles()
  t.ok(files.length > 150, 'the whole core is checked')
  for (const file of files) {
    const name = relative(CORE, file)
    const allowed = new Set((ALLOWED[name] ?? []).map(({ line }) => line))
    const found = readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        const what = allowed.delete(line.trim()) ? undefined : offence(line)
        return what === undefined ? [] : [`${name}:${index + 1}: ${what}`]
      })
    t.strictSame(found, [])
    t.strictSame([...allowed], [], `what ${name} is allowed is there`)
  }
})

t.test('the search finds names in every form [HOST-8]', async t => {
  for (const line of [
    'if (hasConsole) return',
    'config.mcp.apiKey',
    "area?: 'llm'",
    'SVC_MOCKS_DIR',
    '// the console and the exports',
    "'Mcp-Session-Id'",
    "markFault('ai')",
    "isBelow(path, '/ui')",
    'the grpc plugin is off',
    "'X-Svc-Mock-Source'",
    'llm-openai',
    'demo-data',
  ])
    t.ok(offence(line), line)
  for (const line of [
    'module.exports = 1',
    'console.error(error)',
    'listener.kind === "grpc"',
    'the status of the response',
    '/guide',
    'demo',
    'main',
    'await it',
  ])
    t.equal(offence(line), undefined, line)
})

t.test('ordinary words are still detected as plugin names [HOST-8]', async t => {
  t.strictSame(
    [...ORDINARY].filter(name => !folders.includes(name)),
    [],
  )
})
