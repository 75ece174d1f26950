/** A page in Markdown for each check of the probe, and a list of them. A release carries them; they are not committed. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GROUPS, impactOf, type Check } from '../plugins/probe/catalog/check.ts'
import { CATALOG } from '../plugins/probe/checks/index.ts'
import { pageOf, type CheckPage } from '../plugins/probe/report/check-page.ts'

/** Writes the pages to a folder, which it replaces. */
export function writeProbePages(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'README.md'), catalogPage())
  for (const check of CATALOG) writeFileSync(join(folder, `${check.id}.md`), checkPage(check))
}

export function checkPage(check: Check): string {
  const { id, title, group, sources } = check
  const page = pageOf(check)
  const facts = [
    ['Group', group],
    ['Level', page.level],
    ['Impact', page.impact],
    ['Source', sources.length === 0 ? 'experience; no standard says it' : sources.map(sourceLink).join(', ')],
    ['Runs', page.runs],
  ]
  return [
    `# ${id}: ${title}`,
    '',
    '| | |',
    '|---|---|',
    ...facts.map(([name, value]) => `| ${name} | ${value} |`),
    ...section('What is sent', [escaped(page.sent), ...requestsOf(page)]),
    ...section('What is expected', [escaped(page.expected)]),
    ...section('Why it matters', [escaped(page.why)]),
    ...section('What a finding looks like', [escaped(page.finding)]),
    ...section(
      'Configuration',
      Object.entries(page.configure).map(([product, text]) => `- ${product}: \`${text.replaceAll('`', '')}\``),
    ),
    ...section(
      'What wires have no word for',
      Object.entries(page.cannot).map(([wire, text]) => `- \`${wire}\`: ${text}`),
    ),
    ...section('Gateways', gatewaysOf(page)),
    ...section('Seen in', seenOf(page, check.when?.pairs === true)),
    ...section('Run it', ['```text', page.command, '```']),
    '',
    'All checks: [the catalog](README.md). How the probe works: [Probe a gateway](../probe.md).',
    '',
  ].join('\n')
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines]
}

function sourceLink({ spec, section }: Check['sources'][number]): string {
  const shown = section === undefined ? spec : `${spec} section ${section}`
  const number = /^RFC (\d+)$/.exec(spec)?.[1]
  if (number === undefined) return shown
  return `[${shown}](https://www.rfc-editor.org/rfc/rfc${number}.html${section === undefined ? '' : `#section-${section}`})`
}

function requestsOf({ requests, request_count: count }: CheckPage): string[] {
  if (requests.length === 0) return []
  const what = count === 1 ? 'The request' : count > requests.length ? `The first of ${count} requests` : 'The requests'
  return ['', `${what}, as written on the connection:`, '', '```http', requests.join('\n\n'), '```']
}

function gatewaysOf({ gateways }: CheckPage): string[] {
  if (gateways.length === 0) return []
  return [
    'From [the comparison](../gateways/matrix.md):',
    '',
    '| Result | Gateways |',
    '|---|---|',
    ...gateways.map(
      ({ result, in_http2, gateways: names }) => `| ${in_http2 ? 'HTTP/2: ' : ''}${result} | ${names.join(', ')} |`,
    ),
  ]
}

/** `isOfModels`: it says if no thread is known. */
function seenOf({ seen }: CheckPage, isOfModels: boolean): string[] {
  if (seen.length === 0) return isOfModels ? ['Not seen yet.'] : []
  return [
    ...seen.map(url => `- [${url.replace(/^.*github\.com\/(.+)\/issues\//, '$1#')}](${url})`),
    '',
    'A thread shows that the kind of fault exists, not what the version of today does.',
  ]
}

/** Text that Markdown would read as markup, except code. */
function escaped(text: string): string {
  return text.replaceAll(/`[^`]*`|[\\*_<>[\]|#]/g, found => (found.startsWith('`') ? found : `\\${found}`))
}

/** The list of all checks by group. */
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
