/** The comparison with other tools: each cell about svc is tied to the page that shows it, or to the lack of one. */
import t from 'tap'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/examples.ts'
import { pagesOnDisk, readmes } from './pages.ts'

/** What the linked pages of a cell have to say, by table and row. */
const SHOWN: Record<string, Record<string, RegExp>> = {
  'HTTP stubs and faults': {
    'Custom stubs': /`PUT \/_svc\/rules\/\{name\}`[^]*\/_svc\/mocks\/shop\/overrides/,
    'Response templates': /\{\{request\.path\.id\}\}/,
    'Stateful stubs': /\| `loop` \|/,
    Proxy: /forwards requests to a real upstream/,
    'Record and replay': /## Record and replay/,
    Delays: /\| `X-Svc-Delay` \|[^]*"lognormal"/,
    'Broken connections': /\| `bad-chunk` \|/,
    'A fault applies to': /Fault headers work on every route[^]*\| `rpc` \|/,
    'Verify received requests': /`POST \/_svc\/verify`/,
    'HTTP/2; HTTP/3': /Serve HTTP\/2/,
    'Echo, status, redirects, cookies, ranges, cache headers, links': /## Follow redirects and set cookies/,
    Compression: /`\/gzip` `\/deflate` `\/brotli` `\/zstd`/,
    'Basic and bearer credentials': /\/auth\/basic/,
    'Digest authentication': /digest/i,
    'Trailers; server-sent events; WebSocket': /`\/trailers`[^]*## Server-sent events[^]*## WebSocket/i,
    'Failures at a given rate': /\/flaky[^]*`X-Svc-Fail`/,
    'The same paths and responses': /## Use it as httpbin/,
    'Usable as a library in tests': /svc\/testing/,
  },
  'API mocks': {
    Input: /OpenAPI 3 or Swagger 2\.0[^]*## GraphQL schemas/,
    'Responses from': /schema/,
    'Same data every time': /deterministic data/,
    'Choose status or example per request': /Prefer: code=404/,
    'Request validation': /"validation":"enforce"/,
    'Security schemes checked': /"security":"enforce"/,
    'Several documents at once': /\/rollback/,
  },
  Identity: {
    'Authorization code with PKCE, client credentials, refresh': /code_challenge/,
    'Token exchange': /grant-type:token-exchange/,
    'Device authorization': /\/device_authorization/,
    'Introspection, revocation': /introspect/,
    'Users, groups and federation to manage': /`identity\.users`[^]*id-jag/,
    'Claims chosen by the test': /\/oauth\/debug\/token/,
    'Invalid tokens on purpose': /expired/,
    'Endpoints that check credentials': /\/auth\/basic/,
  },
  'Model APIs': {
    'OpenAI, Azure OpenAI, Anthropic, Gemini, Bedrock, Cohere, Ollama': /### Ollama[^]*### Cohere/,
    Others: /format: openai[^]*Voyage/,
    'Source of replies': /deterministic[^]*## Script a model[^]*## Conversations with a model/,
    'Record real providers': /`as: llm`/,
    'Embeddings, rerank, moderation': /moderations[^]*rerank/i,
    'Images, speech, transcription': /images[^]*audio\/speech/i,
    'Video; realtime over WebSocket': /## Talk in real time/,
    'Stream timing': /`ttft_ms`, `tokens_per_second`, `jitter_percent`/,
    Faults: /disconnect@/,
    'Refuses what the real API refuses: lost results of tools, changed thinking, unknown parameters, wrong schemas':
      /`enforce` \| checked \| the vendor's error[^]*Codex CLI, package/,
    'Streams that trip gateways': /`signature=split`[^]*`error-200`/,
    'Control without headers': /## Directives: when headers do not survive/,
    '[Guardrail APIs](guardrails.md) (Azure content safety, Bedrock)':
      /## Azure AI Content Safety[^]*## Bedrock guardrails/,
  },
  'MCP and A2A': {
    'MCP tools, resources, prompts': /tools\/call/,
    'MCP sampling, elicitation': /elicitation, sampling/,
    'MCP revisions': /2025-11-25[^]*2024-11-05/,
    'MCP authorization (OAuth)': /## Authorization/,
    A2A: /## Push notifications[^]*## gRPC/,
    'Controlled through MCP': /MCP server at `\/_svc\/mcp`/,
  },
  'gRPC, GraphQL, SOAP, WebSocket': {
    gRPC: /reflection/,
    GraphQL: /## Subscribe/,
    SOAP: /SOAP/,
    WebSocket: /## WebSocket/,
  },
  'Ways to get it': {
    Package: /npm pack \.\/dist\/package/,
    'Container image, Helm chart': /docker build[^]*helm install/,
    'Single executable': /npm run build:binary/,
    'GitHub Action': /uses:/,
    'Clients for tests': /## Python[^]*## Go[^]*## Java/,
    Testcontainers: /## Testcontainers/,
    Imports: /## WireMock[^]*## MockServer[^]*## Mockoon[^]*## Postman[^]*## aimock/,
  },
}

/** What svc does not have: no page may have a heading or title like this. `like` is one that would be found. */
const ABSENT: Record<string, { page: RegExp; like: string }> = {
  'HTTP/3': { page: /\bHTTP\/3\b|\bQUIC\b/i, like: '## Serve HTTP/3' },
  "Validate a real API's responses": {
    page: /(?:validat|check)\w* (?:the )?(?:responses?|a real|an? upstream)|contract test/i,
    like: '## Validate responses of an upstream',
  },
  'For production': { page: /(?:in|for) production\b/i, like: '## Run it in production' },
  SAML: { page: /\bSAML\b/i, like: '## Log in with SAML' },
  Video: { page: /\bvideos?\b/i, like: '## Create a video' },
  'Vector databases, AG-UI': { page: /\bvector (?:data|stor)|\bAG-UI\b/i, like: '# Vector databases' },
}

interface Cell {
  table: string
  row: string
  text: string
}

const PAGE = readFileSync(join(root, 'docs', 'comparison.md'), 'utf8')
const DENIAL = /^(?:\*\*)?no\b|^–/i

/** The last cell of each row of the tables whose last column is svc. */
function cellsAboutSvc(): Cell[] {
  const cells: Cell[] = []
  let table = ''
  /** Null between tables. */
  let isAboutSvc: boolean | null = null
  for (const line of PAGE.split('\n')) {
    if (line.startsWith('## ')) table = line.slice(3)
    if (!line.startsWith('|')) {
      isAboutSvc = null
      continue
    }
    const columns = line
      .slice(1, -1)
      .split(' | ')
      .map(text => text.trim())
    if (isAboutSvc === null) isAboutSvc = columns.at(-1) === 'svc'
    else if (isAboutSvc && !line.startsWith('|-')) cells.push({ table, row: columns[0]!, text: columns.at(-1)! })
  }
  return cells
}

/** `yes; no` are two statements about two parts of the row. */
function statementsOf({ row, text }: Cell): { about: string; text: string }[] {
  const [parts, abouts] = [text.split('; '), row.split('; ')]
  return parts.length === abouts.length && abouts.length > 1
    ? parts.map((part, index) => ({ about: abouts[index]!, text: part }))
    : [{ about: row, text }]
}

function linkedPages(text: string): string[] {
  return [...text.matchAll(/\]\(([\w./-]+\.md)(?:#[\w-]+)?\)/g)].map(([, target]) => join(root, 'docs', target!))
}

/** Headings of all pages, and titles of plugins. */
function headings(): { page: string; heading: string }[] {
  const pages = [
    ...pagesOnDisk()
      .filter(name => name !== 'comparison')
      .map(name => `docs/${name}.md`),
    ...readmes(),
  ]
  return pages
    .filter(page => existsSync(join(root, page)))
    .flatMap(page =>
      readFileSync(join(root, page), 'utf8')
        .split('\n')
        .filter(line => /^#{1,4} /.test(line) || (page === 'docs/areas.md' && line.startsWith('| [')))
        .map(heading => ({ page, heading })),
    )
}

const CELLS = cellsAboutSvc()

t.test('each cell about svc links to the page that shows it [DOC-8]', t => {
  t.ok(CELLS.length > 50)
  for (const cell of CELLS) {
    const { table, row, text } = cell
    const name = `${table}: ${row}`
    for (const { about, text: statement } of statementsOf(cell)) {
      if (DENIAL.test(statement)) t.ok(ABSENT[about], `${name}: "${statement}" is known to be missing`)
      else t.ok(linkedPages(statement).length > 0, `${name}: "${statement}" has a link`)
    }
    const pattern = SHOWN[table]?.[row]
    const pages = linkedPages(text).map(page => readFileSync(page, 'utf8'))
    if (pages.length > 0) t.match(pages.join('\n'), pattern ?? /(?!)/, `${name}: the linked pages say so`)
  }
  t.end()
})

t.test('nothing is denied that has a page [DOC-8]', t => {
  const all = headings()
  t.ok(all.length > 200)
  for (const [about, { page, like }] of Object.entries(ABSENT)) {
    t.match(like, page, `${about}: a page about it would be found`)
    t.strictSame(
      all.filter(({ heading }) => page.test(heading)),
      [],
      `${about}: there is no page about it`,
    )
  }
  t.end()
})

t.test('the lists are those of the page [DOC-8]', t => {
  const denied = CELLS.flatMap(statementsOf).filter(({ text }) => DENIAL.test(text))
  t.strictSame(Object.keys(ABSENT).toSorted(), denied.map(({ about }) => about).toSorted())
  const rows = CELLS.map(({ table, row }) => `${table}: ${row}`)
  for (const [table, known] of Object.entries(SHOWN))
    for (const row of Object.keys(known)) t.ok(rows.includes(`${table}: ${row}`), `${table}: ${row}`)
  // What the text says svc lacks would escape the tables.
  t.notMatch(PAGE, /\bsvc (?:has no|does not|doesn't|cannot|can't)\b/)
  t.end()
})

t.test('size and start are shown next to the other tools, measured in one run [DOC-13]', t => {
  const page = readFileSync(join(root, 'docs', 'comparison.md'), 'utf8')
  const table = /<!-- footprint -->\n([^]*?)\n<!-- \/footprint -->/.exec(page)![1]!
  const rows = [...table.matchAll(/^\| ([\w-]+) \| (\d+ \w+) \| (\d+ MiB) \| (\d+\.\d s) \| (\d+ MiB) \|$/gm)]
  t.strictSame(
    rows.map(([, name]) => name),
    ['svc', 'aimock', 'Mockoon', 'WireMock', 'go-httpbin'],
  )
  t.match(table, /^Medians of \d+ starts .* Node\.js \d+\.\d+\.\d+, \d{4}-\d\d-\d\d;/m)
  t.end()
})
