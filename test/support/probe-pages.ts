/** Makes the pages of `docs/probe` from the catalog, the findings of wrong proxies, and the table of gateways. */
import { CATALOG } from '../../plugins/probe/checks/index.ts'
import { GROUPS, impactOf } from '../../plugins/probe/catalog/check.ts'
import type { Check, Facts, Level } from '../../plugins/probe/catalog/check.ts'
import { encodeRequest } from '../../plugins/probe/client/request.ts'
import type { Encoding, RequestSpec } from '../../plugins/probe/client/request.ts'
import { visible } from '../../plugins/probe/report/visible.ts'
import type { ShownFinding, ShownFindings } from '../probe/findings.ts'

const LEVELS: Record<Level, string> = {
  must: 'a requirement of the standard that binds gateways; broken: `fail`',
  'other-spec': 'a requirement of another specification; broken: `fail`',
  integrity: 'content or meaning of a valid message; changed, lost or repeated: `fail`',
  should: 'a recommendation of the standard; not followed: `warn`',
  hazard: 'allowed, and known to cause trouble: `warn`',
  'proxy-only': 'a requirement that binds proxies, but not gateways: `note` or `warn`',
  observation: 'an observation: `note`, with what was seen',
  timing: 'a measurement: `note`, with numbers',
}
const MAX_REQUESTS = 3
const MAX_LINES = 14
const MAX_LINE = 110
const MAX_SUMMARY = 240
const PATHS: Readonly<Record<string, string>> = { llm: '/ai/openai/v1', mcp: '/mcp', a2a: '/a2a/weather' }

/** What plans get as the facts of a run. */
const FACTS: Facts = {
  gateway: { origin: 'http://gateway.example', authority: 'gateway.example', host: 'gateway.example' },
  upstreamOrigins: ['http://upstream.example:8080'],
  reuses: null,
  viaPseudonym: 'gateway',
  hasCredentials: false,
  asksForCertificates: false,
  mcpToken: 'TOKEN',
  routes: new Set(['jwt', 'mcp.token', 'tls.good', 'tls.expired', 'tls.wrong-host', 'tls.unknown-ca']),
  tokens: { valid: 'TOKEN', before: 'TOKEN' },
  hasOwnLlmCredential: false,
  timeoutMs: 10_000,
  isSlow: false,
  protocol: '1.1',
  clientProtocols: ['1.1', '2'],
}

/** Results of gateways: their names, and the cells of each check by its id, with ` (HTTP/2)` for those in HTTP/2. */
export interface MatrixTable {
  gateways: string[]
  cells: ReadonlyMap<string, string[]>
}

export function readMatrix(markdown: string): MatrixTable {
  const rows = markdown
    .split('\n')
    .filter(line => line.startsWith('| '))
    .map(line => line.slice(2, -2).split(' | '))
  const [header = [], , ...rest] = rows
  return {
    gateways: header.slice(1),
    cells: new Map(rest.map(([first = '', ...cells]) => [/^\S+(?: \(HTTP\/2\))?/.exec(first)?.[0] ?? '', cells])),
  }
}

export interface PageSources {
  findings: ShownFindings
  matrix: MatrixTable
}

/** Text of `docs/probe/<ID>.md`. */
export function checkPage(check: Check, { findings, matrix }: PageSources): string {
  const { id, title, page } = check
  return [
    `# ${id}: ${title}`,
    '',
    '| | |',
    '|---|---|',
    ...factsOf(check).map(([name, value]) => `| ${name} | ${value} |`),
    '',
    '## What is sent',
    '',
    escaped(page.sent),
    ...requestsOf(check),
    '',
    '## What is expected',
    '',
    escaped(page.expected),
    '',
    '## Why it matters',
    '',
    escaped(page.why),
    '',
    '## What a finding looks like',
    '',
    findingText(check, findings[id]),
    ...configurationOf(check),
    ...gatewaysOf(id, matrix),
    '',
    '## Run it',
    '',
    '```text',
    `svc probe http://localhost:8000 --listen 8080 --checks ${id}${optionsOf(check)}`,
    '```',
    '',
    'All checks: [the catalog](README.md). How the probe works: [Probe a gateway](../probe.md).',
    '',
  ].join('\n')
}

function factsOf(check: Check): [string, string][] {
  const { group, level, sources, protocols = ['1.1'], hostile, when = {} } = check
  const runs = [
    protocols.length === 2 ? 'in HTTP/1.1 and HTTP/2' : protocols[0] === '2' ? 'in HTTP/2' : 'in HTTP/1.1',
    ...(hostile === true ? ['only with `--hostile`'] : []),
    ...(when.breaks === true
      ? ['late and alone, since the gateway may take the upstream out of service']
      : when.alone === true
        ? ['alone']
        : []),
    ...(when.routes === undefined ? [] : [`with \`${when.routes.join('` or `')}\` in the file of \`--routes\``]),
  ]
  return [
    ['Group', group],
    ['Level', `\`${level}\`: ${LEVELS[level]}`],
    ['Impact', impactOf(check)],
    ['Source', sources.length === 0 ? 'experience; no standard says it' : sources.map(sourceLink).join(', ')],
    ['Runs', runs.join('; ')],
  ]
}

function sourceLink({ spec, section }: Check['sources'][number]): string {
  const shown = section === undefined ? spec : `${spec} section ${section}`
  const number = /^RFC (\d+)$/.exec(spec)?.[1]
  if (number === undefined) return shown
  return `[${shown}](https://www.rfc-editor.org/rfc/rfc${number}.html${section === undefined ? '' : `#section-${section}`})`
}

/** The first requests as they are written in HTTP/1.1. */
function requestsOf(check: Check): string[] {
  if (check.protocols?.includes('1.1') === false) return []
  let step = 0
  const numbers = new Map<RequestSpec, number>()
  const numberOf = (spec: RequestSpec): number => {
    const number = numbers.get(spec) ?? ++step
    numbers.set(spec, number)
    return number
  }
  const encoding: Encoding = {
    authority: 'gateway.example',
    prefix: PATHS[check.group] ?? '',
    nonce: '<nonce>',
    field: '<nonce>',
    extraFields: [],
    check: check.id,
    model: 'gpt-4o-mini',
  }
  const requests = check.plan(FACTS).connections.flatMap(connection => connection.requests)
  const shown = requests
    .slice(0, MAX_REQUESTS)
    .map(request => encodeRequest(request, encoding, numberOf).parts.filter(part => Buffer.isBuffer(part)))
    .map(parts => bytesOf(Buffer.concat(parts)))
  const left = requests.length - shown.length
  return [
    '',
    `${requests.length === 1 ? 'The request' : left > 0 ? `The first of ${requests.length} requests` : 'The requests'}, as written on the connection:`,
    '',
    '```http',
    shown.join('\n\n'),
    '```',
  ]
}

function bytesOf(bytes: Buffer): string {
  const lines = bytes
    .subarray(0, 8_192)
    .toString('latin1')
    .split('\r\n')
    .map(line => {
      const text = visible(line).replaceAll(/[\u0080-\u00ff]/g, one => `\\x${one.charCodeAt(0).toString(16)}`)
      return text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)} …` : text
    })
  const cut = lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), '…'] : lines
  return cut.join('\n').trimEnd()
}

function findingText({ level }: Check, finding: ShownFinding | undefined): string {
  if (finding !== undefined)
    return `With a proxy whose fault is “${escaped(finding.proxy)}”: \`${finding.verdict}\`, “${escaped(shortened(finding.summary))}”.`
  return level === 'observation' || level === 'timing'
    ? 'It only reports what was seen.'
    : 'No wrong proxy of the tests shows one.'
}

function shortened(text: string): string {
  return text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY).trimEnd()} …` : text
}

function configurationOf({ page }: Check): string[] {
  const entries = Object.entries(page.configure ?? {})
  if (entries.length === 0) return []
  return [
    '',
    '## Configuration',
    '',
    ...entries.map(([product, text]) => `- ${product}: \`${text.replaceAll('`', '')}\``),
  ]
}

function gatewaysOf(id: string, { gateways, cells }: MatrixTable): string[] {
  const rows = resultsOf(cells.get(id) ?? [], gateways)
  const inHttp2 = resultsOf(cells.get(`${id} (HTTP/2)`) ?? [], gateways).filter(([result]) => result !== '–')
  if (rows.length + inHttp2.length === 0) return []
  return [
    '',
    '## Gateways',
    '',
    'From [the comparison](../gateways/matrix.md):',
    '',
    '| Result | Gateways |',
    '|---|---|',
    ...rows.map(([result, names]) => `| ${result} | ${names.join(', ')} |`),
    ...inHttp2.map(([result, names]) => `| HTTP/2: ${result} | ${names.join(', ')} |`),
  ]
}

/** Gateways by result. */
function resultsOf(cells: readonly string[], gateways: readonly string[]): [string, string[]][] {
  const found = new Map<string, string[]>()
  for (const [index, cell] of cells.entries()) found.set(cell, [...(found.get(cell) ?? []), gateways[index]!])
  return [...found]
}

function optionsOf({ hostile, protocols, when = {} }: Check): string {
  return `${hostile === true ? ' --hostile' : ''}${protocols?.includes('2') === true ? ' --h2' : ''}${when.routes === undefined ? '' : ' --routes routes.yaml'}`
}

/** Text that Markdown would read as markup. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`*_<>[\]|#]/g, character => `\\${character}`)
}

/** `docs/probe/README.md`. */
export function catalogPage(): string {
  const groups = GROUPS.map(group => ({ group, checks: CATALOG.filter(check => check.group === group) }))
  return [
    '# The checks of the probe',
    '',
    `${CATALOG.length} checks in ${groups.length} groups. A gateway that breaks a rule of the levels \`must\`, \`other-spec\` and \`integrity\` gets`,
    '`fail`; the other levels give `warn` or `note`. [Probe a gateway](../probe.md) explains what they mean, and',
    '[Gateways in comparison](../gateways/matrix.md) shows what the checks found.',
    ...groups.flatMap(({ group, checks }) => [
      '',
      `## ${group}`,
      '',
      '| Check | Title | Level | Impact |',
      '|---|---|---|---|',
      ...checks.map(
        check =>
          `| [${check.id}](${check.id}.md) | ${escaped(check.title)}${check.hostile === true ? ' (`--hostile`)' : ''} | ${check.level} | ${impactOf(check)} |`,
      ),
    ]),
    '',
  ].join('\n')
}
